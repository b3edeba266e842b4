package e2e

import (
	"fmt"
	"os"
	"runtime"
	"syscall"
	"testing"
	"time"
)

func init() { roles["untie"] = untieMain }

// untieMain takes from the lane's first process that it dies with lane: it is
// of the same user, and may be traced. Then it says so, and stays.
func untieMain() int {
	runtime.LockOSThread()
	if err := untie(1); err != nil {
		fmt.Println("tied:", err)
	} else {
		fmt.Println("untied")
	}
	time.Sleep(time.Minute)
	return 0
}

// untie has another process call prctl(PR_SET_PDEATHSIG, 0).
func untie(pid int) error {
	if err := syscall.PtraceAttach(pid); err != nil {
		return fmt.Errorf("attach: %w", err)
	}
	defer func() { _ = syscall.PtraceDetach(pid) }()
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(pid, &status, 0, nil); err != nil {
		return fmt.Errorf("wait: %w", err)
	}
	var was syscall.PtraceRegs
	if err := syscall.PtraceGetRegs(pid, &was); err != nil {
		return fmt.Errorf("registers: %w", err)
	}
	code := make([]byte, 2)
	if _, err := syscall.PtracePeekText(pid, uintptr(was.Rip), code); err != nil {
		return fmt.Errorf("peek: %w", err)
	}
	if _, err := syscall.PtracePokeText(pid, uintptr(was.Rip), []byte{0x0f, 0x05}); err != nil { // syscall
		return fmt.Errorf("poke: %w", err)
	}
	regs := was
	regs.Orig_rax, regs.Rax, regs.Rdi, regs.Rsi = ^uint64(0), syscall.SYS_PRCTL, syscall.PR_SET_PDEATHSIG, 0
	if err := syscall.PtraceSetRegs(pid, &regs); err != nil {
		return fmt.Errorf("set registers: %w", err)
	}
	if err := syscall.PtraceSingleStep(pid); err != nil {
		return fmt.Errorf("step: %w", err)
	}
	if _, err := syscall.Wait4(pid, &status, 0, nil); err != nil {
		return fmt.Errorf("wait: %w", err)
	}
	if err := syscall.PtraceGetRegs(pid, &regs); err != nil || regs.Rax != 0 {
		return fmt.Errorf("prctl said %d, %w", int64(regs.Rax), err)
	}
	if _, err := syscall.PtracePokeText(pid, uintptr(was.Rip), code); err != nil {
		return fmt.Errorf("poke: %w", err)
	}
	// It was in the middle of wait4, which goes on by being called again.
	was.Rip, was.Rax, was.Orig_rax = was.Rip-2, was.Orig_rax, ^uint64(0)
	if err := syscall.PtraceSetRegs(pid, &was); err != nil {
		return fmt.Errorf("set registers: %w", err)
	}
	return nil
}

// An agent that unties its lane from lane is ended by the warden, or, with the
// warden killed as well, by the next lane command.
func TestNothingOutlivesLaneThoughUntied(t *testing.T) {
	need(t, "git", "bwrap")
	everyUser(t, func(t *testing.T, uid int) {
		for _, target := range []string{"lane", "lane and warden"} {
			s := newKillSite(t, uid)
			s.write("payload-untie", payloadHead+"exec "+stage+"/bin/untie > untied\n", 0o755)
			k := &trial{site: s, signal: syscall.SIGKILL, payload: "untie", target: target, running: true, delay: time.Second}
			took, err := k.run()
			if err != nil {
				t.Error(err)
			}
			said, err := os.ReadFile(s.lane + "/untied")
			if err != nil || string(said) != "untied\n" {
				t.Errorf("the attack did not work, so this proves nothing: %q, %v", said, err)
			}
			t.Logf("%s: gone after %v", target, took)
		}
	})
}
