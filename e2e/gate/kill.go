package gate

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"syscall"
	"time"

	"lane/e2e/model"
)

// killTest is a signal to lane itself, while the agent works.
type killTest struct {
	id  string
	sig syscall.Signal
}

func kills() []killTest {
	return []killTest{{"killed-kill9", syscall.SIGKILL}, {"killed-term", syscall.SIGTERM}}
}

// afterSignal is how long a lane may take to be gone.
const afterSignal = 2 * time.Second

// killed runs a kill test: two seconds after the signal nothing of the run is
// alive, neither what the agent's shell tool started nor what its server did.
func (b *bench) killed(ctx context.Context, k killTest) {
	if !b.o.wanted(k.id) {
		return
	}
	began := time.Now()
	c := Claim{ID: k.id, Entry: EntryRun, Claim: fmt.Sprintf("nothing outlives the run by two seconds (lane gets %v)", k.sig)}
	c.Status, c.Detail = b.kill(ctx, k.sig)
	b.tell(c, began)
}

func (b *bench) kill(ctx context.Context, sig syscall.Signal) (Status, string) {
	s, done, err := b.scene(false)
	if err != nil {
		return NotExercised, err.Error()
	}
	defer done()
	steps := []model.Step{
		model.Use("b", "Bash", map[string]any{"command": "for i in $(seq 400); do echo x >>heart-bash; sleep 0.05; done", "run_in_background": true}),
		shell("m", "MCP", pulse("mcp")),
	}
	hearts := []string{"bash", "mcp"}
	if !b.hands.all {
		steps, hearts = b.hands.steps([]model.Step{shell("b", "Bash", pulse("bash"))}), hearts[:1]
	}
	steps = append(steps, model.Step{Content: model.Text("never").Content, DelayMS: 60_000})
	srv, err := model.Start(ctx, model.Script{Steps: steps}, "", 0)
	if err != nil {
		return NotExercised, err.Error()
	}
	defer srv.Close()
	c, err := b.command(ctx, s, srv.URL, "", time.Minute, prompt)
	if err != nil {
		return NotExercised, err.Error()
	}
	var said bytes.Buffer
	c.Stderr = &said
	if err := c.Start(); err != nil {
		return NotExercised, err.Error()
	}
	ended := make(chan struct{})
	go func() { _ = c.Wait(); close(ended) }()
	beats := func() bool {
		for _, name := range hearts {
			if _, err := os.Lstat(s.f.Worktree + "/heart-" + name); err != nil {
				return false
			}
		}
		return true
	}
	over := func() bool {
		select {
		case <-ended:
			return true
		default:
			return ctx.Err() != nil
		}
	}
	for end := time.Now().Add(30 * time.Second); !beats(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) || over() {
			_ = c.Process.Signal(syscall.SIGTERM)
			<-ended
			return NotExercised, "the agent's processes did not start: " + oneLine(said.String())
		}
	}
	_ = c.Process.Signal(sig)
	select {
	case <-ended:
	case <-time.After(afterSignal):
	}
	wait := time.After(afterSignal)
	if sig != syscall.SIGKILL {
		wait = time.After(0) // lane itself has said that it is done
	}
	<-wait
	for _, name := range hearts {
		if s.beating(name) != "" {
			_ = c.Process.Kill()
			return Failed, "what the agent's " + name + " tool started still runs"
		}
	}
	select {
	case <-ended:
		return Passed, ""
	default:
		_ = c.Process.Kill()
		<-ended
		return Failed, fmt.Sprintf("lane did not end in %v", afterSignal)
	}
}
