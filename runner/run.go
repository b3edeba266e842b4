package runner

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"lane/gitdiscover"
	"lane/gitdiscover/seal"
	"lane/runner/agent"
)

// Job is what Run needs besides the plan.
type Job struct {
	Version  string // lane's own
	Request  Request
	Repo     gitdiscover.Repo
	Agent    *agent.Agent
	Host     Host
	Plan     Plan
	Signals  <-chan os.Signal // ends the run; nil for none
	Progress func(string)     // one line for people, nil for none
	// Surveyed is when the survey was done, for the record's durations.
	Surveyed time.Time

	seal *openSeal // what may be removed from the worktree afterwards
	// fill puts what lane's own command works on into the lane's git
	// directory; streams are that command's. Both nil but for that.
	fill    func(Plan) error
	streams *streams
}

// Run carries out a plan and returns its record. It returns a Result in
// every case: also when nothing was started.
//
// The order is the argument: the lock before anything is made; the warden
// next, so that whatever is made has somebody to undo it; the layer next, and
// while the child in it starts and proves it, all else that has to be there for
// the agent; discovery again, so that what was planned is what is confined; go;
// the prompt after go; the checks of git's pointers before any look at the
// files; the record last, by rename.
func Run(j Job) Result {
	res := emptyResult(j.Version)
	res.describe(j.Plan, j.Host)
	if j.Progress == nil {
		j.Progress = func(string) {}
	}
	if ref := unacceptedRefusal(j.Plan); ref != nil {
		res.refuse(ref)
		return finishRecord(&res, nil)
	}
	lock, err := lockWorktree(j.Host.LaneHome, j.Plan.Worktree)
	if err != nil {
		res.refuse(refusalOf(err, "lane-home"))
		return finishRecord(&res, nil)
	}
	defer lock.Close()
	warden, err := openWarden(&j, &res, lock)
	if err != nil {
		res.refuse(refusalOf(err, "warden"))
		return finishRecord(&res, nil)
	}
	defer warden.close()
	dir, err := makeRunDir(&j.Plan, &res)
	if err != nil {
		res.refuse(refusalOf(err, "run-directory"))
		return finishRecord(&res, nil)
	}
	began := time.Now()
	child, err := start(j.Plan, j.Host, nil)
	if err != nil {
		res.refuse(refusalOf(err, "start"))
		return finishRecord(&res, dir)
	}
	early := child.hearEarly(j)
	sealed, err := ready(j, child, &res)
	if sig := early.end(j); sig != 0 {
		child.kill()
		res.interrupted(sig)
		return finishRecord(&res, dir)
	}
	if err == nil {
		err = verifyOutside(&res, j.Plan.Checks.Verify)
	}
	if err == nil {
		err = warden.hold(child)
	}
	if err == nil {
		err = child.release()
	}
	if err != nil {
		child.kill()
		res.refuse(refusalOf(offerOther(err, j), "start"))
		return finishRecord(&res, dir)
	}
	res.Durations.Start = time.Since(began).Milliseconds()
	j.Progress(fmt.Sprintf("run %s: %s in %s (branch %s)", j.Plan.Run, j.Plan.Writer.Name, j.Plan.Worktree, branchName(j.Plan)))

	program := hashFile(j.Plan.Writer.Path) // read while the agent works
	agentBegan := time.Now()
	stream := j.Agent.NewStream()
	end := child.watch(j, stream, dir)
	res.Durations.Agent = time.Since(agentBegan).Milliseconds()

	finishBegan := time.Now()
	out := stream.Outcome()
	judge(&res, j, end, proveHook(&res, j, out))
	res.Writer.SHA256 = program.wait()
	after(&res, j, sealed)
	res.Durations.Finish = time.Since(finishBegan).Milliseconds()
	if !j.Surveyed.IsZero() {
		res.Durations.Survey = j.Surveyed.Sub(j.Host.Started).Milliseconds()
	}
	return finishRecord(&res, dir)
}

func branchName(p Plan) string {
	if p.Branch == "" {
		return "none"
	}
	return quoteUnlessPlain(p.Branch)
}

// unacceptedRefusal refuses a plan with gaps that nobody accepted by name.
func unacceptedRefusal(p Plan) *Refusal {
	open := p.unaccepted()
	if len(open) == 0 {
		return nil
	}
	var names []string
	for _, g := range open {
		names = append(names, g.Name)
	}
	return &Refusal{Reason: "gap", Detail: open[0].Name + ": " + open[0].Detail,
		Hint: "to go on in spite of it: --accept " + strings.Join(names, " --accept ")}
}

func refusalOf(err error, reason string) *Refusal {
	if r := asRefusal(err); r != nil {
		return r
	}
	return &Refusal{Reason: reason, Detail: err.Error()}
}

// ready has the child prove the lane while lane furnishes it: each takes as long
// as the other, and neither needs what the other does.
func ready(j Job, c *child, res *Result) (seal.Seal, error) {
	proved := make(chan error, 1)
	go func() { proved <- c.prove(res) }()
	sealed, err := furnish(j, res)
	return sealed, cmp.Or(err, <-proved)
}

// furnish does what must be done before the agent starts: the lane's own git
// directory, the plan's own file; discovery once more; the seal.
func furnish(j Job, res *Result) (seal.Seal, error) {
	if err := makeOwnGit(j.Plan); err != nil {
		return seal.Seal{}, err
	}
	if j.fill != nil {
		if err := j.fill(j.Plan); err != nil {
			return seal.Seal{}, err
		}
	}
	if err := writePlan(j.Plan, res); err != nil {
		return seal.Seal{}, err
	}
	if err := recheck(j); err != nil {
		return seal.Seal{}, err
	}
	return takeSeal(j)
}

// recheck looks at the worktree again: it must be what was planned for.
func recheck(j Job) error {
	now, err := gitdiscover.DiscoverWith(j.Plan.Worktree, discoverOptions(j.Request))
	if err == nil {
		err = j.Repo.Same(now)
	}
	if err != nil {
		return &Refusal{Reason: "changed-before-start", Path: j.Plan.Worktree, Detail: "the worktree's git directories changed while lane was starting: " + err.Error(),
			Hint: "see what else works there, then start again"}
	}
	return nil
}

// makeRunDir makes the run's directories and writes the sealed files.
func makeRunDir(p *Plan, res *Result) (*os.Root, error) {
	if err := os.MkdirAll(filepath.Dir(p.RunDir), 0o700); err != nil {
		return nil, &Refusal{Reason: "lane-home", Path: filepath.Dir(p.RunDir), Detail: cause(err), Hint: "set LANE_HOME to a directory that can be written"}
	}
	if err := os.Mkdir(p.RunDir, 0o700); err != nil {
		return nil, &Refusal{Reason: "lane-home", Path: p.RunDir, Detail: cause(err), Hint: "set LANE_HOME to a directory that can be written"}
	}
	for _, d := range []string{recordDir, planDir, stateDir} {
		if err := os.Mkdir(filepath.Join(p.RunDir, d), 0o700); err != nil {
			return nil, err
		}
	}
	for _, d := range p.Dirs {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return nil, err
		}
	}
	if err := mendCaches(cacheDir(filepath.Dir(filepath.Dir(p.RunDir)), p.Worktree)); err != nil {
		return nil, err
	}
	for _, l := range p.Links {
		if err := os.Symlink(l.Target, l.Path); err != nil {
			return nil, err
		}
	}
	files := append(slices.Clone(p.Files), agent.File{Path: filepath.Join(p.RunDir, planDir, "empty"), Mode: 0o444})
	for _, f := range files {
		if err := os.WriteFile(f.Path, []byte(f.Content), os.FileMode(f.Mode)); err != nil {
			return nil, err
		}
		if filepath.Base(f.Path) == "settings.json" {
			res.SettingsSHA256 = hexSum([]byte(f.Content))
		}
	}
	if err := identifyPointer(p); err != nil {
		return nil, err
	}
	return os.OpenRoot(filepath.Join(p.RunDir, recordDir))
}

// writePlan writes the plan where the hook and the user find it.
func writePlan(p Plan, res *Result) error {
	text, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return err
	}
	res.PlanSHA256 = hexSum(text)
	return os.WriteFile(filepath.Join(p.RunDir, planDir, "plan.json"), text, 0o444)
}

func hexSum(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// finishRecord closes the record and writes it by rename. A record that
// cannot be written is told, and does not change how the run ended.
func finishRecord(res *Result, dir *os.Root) Result {
	if res.Started.IsZero() {
		res.Started = time.Now().UTC()
	}
	res.Ended = time.Now().UTC()
	res.Durations.Total = res.Ended.Sub(res.Started).Milliseconds()
	if dir == nil {
		return *res
	}
	defer dir.Close()
	b, err := res.MarshalIndent()
	if err == nil {
		err = writeByRename(dir, "result.json", b)
	}
	if err != nil {
		res.Warnings = append(res.Warnings, "the record could not be written: "+err.Error())
	}
	return *res
}

func writeByRename(dir *os.Root, name string, b []byte) error {
	f, err := dir.OpenFile(name+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	err = errors.Join(err, f.Sync(), f.Close())
	if err != nil {
		return err
	}
	return dir.Rename(name+".new", name)
}

func discoverOptions(req Request) gitdiscover.Options {
	var o gitdiscover.Options
	for _, v := range req.Vouch {
		o.Vouch = append(o.Vouch, gitdiscover.Vouch(v))
	}
	return o
}

// quoteUnlessPlain leaves names as they are that cannot hurt a terminal.
func quoteUnlessPlain(s string) string {
	if s == printable(s) && !strings.ContainsAny(s, "\n\t") {
		return s
	}
	return quote(s)
}
