package confine

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// CanVerify says that the child of this system makes the canaries of a Verify.
const CanVerify = true

// tryVerify does in earnest what the other checks only try: names are made,
// moved and linked, by this process and by a sandbox of the agent's own kind.
// Whether they came to be is looked at from outside as well.
func tryVerify(plan ChildPlan) []Check {
	v := plan.Verify
	if v == nil {
		return nil
	}
	own := filepath.Join(v.Own, v.Name)
	defer os.Remove(own) // it may have been moved away, which is a finding of its own
	checks := []Check{verifyOwn(own)}
	try := func(name, path string, must bool, do func() error) {
		c := Check{Name: "verify-" + name, Path: path, Want: "refused", Got: "made"}
		if !must {
			c.Want, c.OK = "not on the host", true // an own directory may lie over it
		}
		if err := do(); err != nil {
			c.Got, c.OK = errnoName(err), true
		}
		checks = append(checks, c)
	}
	link := own + ".dir"
	defer os.Remove(link)
	for i, dir := range append(append([]string{}, v.Refused...), v.Elsewhere...) {
		at := filepath.Join(dir, v.Name)
		must := i < len(v.Refused)
		try("create", at, must, func() error { return create(at) })
		try("mkdir", at+".d", must, func() error { return os.Mkdir(at+".d", 0o700) })
		try("link", at+".l", must, func() error { return os.Link(own, at+".l") })
		try("by-link", at+".s", must, func() error {
			os.Remove(link)
			if err := os.Symlink(dir, link); err != nil {
				return err
			}
			return create(filepath.Join(link, v.Name+".s"))
		})
		try("rename", at+".r", must, func() error { return os.Rename(own, at+".r") })
	}
	if v.Pointer != "" {
		try("pointer", v.Pointer, true, func() error {
			if err := os.Rename(v.Pointer, own+".git"); err != nil {
				return err
			}
			return os.Rename(own+".git", v.Pointer) // got through: put it back, and say so
		})
	}
	return append(checks, verifyNested(plan)...)
}

// verifyOwn is the work that must go on: a file of its own, there and back.
func verifyOwn(own string) Check {
	c := Check{Name: "verify-own", Path: own, Want: "works", Got: "works", OK: true}
	err := create(own)
	if err == nil {
		err = os.Rename(own, own+".moved")
	}
	if err == nil {
		err = os.Rename(own+".moved", own)
	}
	if err != nil {
		c.Got, c.OK = errnoName(err), false
	}
	return c
}

func create(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// verifyNested has a sandbox of the agent's own kind try to write.
func verifyNested(plan ChildPlan) []Check {
	if len(plan.Nested) == 0 {
		return nil
	}
	var checks []Check
	for _, dir := range plan.Verify.Refused {
		at := filepath.Join(dir, plan.Verify.Name+".n")
		c := Check{Name: "verify-nested", Path: at, Want: "refused", Got: "made"}
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		argv := append(append([]string{}, plan.Nested[1:len(plan.Nested)-1]...), `: >"$0"`, at)
		cmd := exec.CommandContext(ctx, plan.Nested[0], argv...)
		cmd.Dir, cmd.WaitDelay = plan.Dir, time.Second
		err := cmd.Run()
		cancel()
		var exit *exec.ExitError
		if errors.As(err, &exit) && exit.ExitCode() > 0 {
			c.Got, c.OK = "refused", true
		} else if err != nil {
			c.Got = err.Error()
		}
		checks = append(checks, c)
	}
	return checks
}
