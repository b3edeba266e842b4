package dialect

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"lane/hookguard"
)

// Limits of one hook process.
const (
	// maxPayload bounds the event read from stdin. Harnesses send whole files
	// with Write; more than this is refused unread.
	maxPayload = 16 << 20
	// maxFacts bounds the facts or plan file.
	maxFacts = 16 << 20
	// Deadline is when the process answers by itself, well before the timeout
	// of any harness's wiring.
	Deadline = 4 * time.Second
)

// exitRefused is what every harness takes for a refusal when there is text on
// stderr beside it.
const exitRefused = 2

// Main is `lane hook`: it reads one event from stdin and answers it. args are
// the words after "hook". It returns the exit code and never panics: a defect
// of its own becomes the harness's refusal.
//
// It reads its flags by hand, so that no flag library can end the process
// with a code that a harness reads as "go on".
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	opts, err := parseArgs(args)
	d, known := Lookup(opts.harness)
	switch {
	case err != nil && known:
		return print(d.Fail(opts.event, err.Error()), stdout, stderr)
	case err != nil:
		return print(refuse(failText(err.Error())), stdout, stderr)
	case opts.harness == "":
		return print(refuse(failText("no --harness given")), stdout, stderr)
	case !known:
		return print(refuse(failText(fmt.Sprintf("unknown harness %+q", opts.harness))), stdout, stderr)
	}
	return print(within(Deadline, d, opts.event, func() Answer { return answer(d, opts, stdin, hookguard.Judge) }), stdout, stderr)
}

// Program is Main for a program that is nothing but the hook. It is called in
// the very words of lane, "hook" first.
func Program(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if len(args) > 0 && args[0] == "hook" {
		args = args[1:]
	}
	return Main(args, stdin, stdout, stderr)
}

type options struct {
	harness, event, plan, facts string
	log                         string // a run's log of what was answered
	session                     bool   // facts from the session itself: no lane runs
}

func parseArgs(args []string) (options, error) {
	var o options
	targets := map[string]*string{"--harness": &o.harness, "--event": &o.event, "--plan": &o.plan, "--facts": &o.facts, "--log": &o.log}
	for i := 0; i < len(args); i++ {
		if args[i] == "--session" {
			o.session = true
			continue
		}
		name, value, inline := cut(args[i])
		target, ok := targets[name]
		if !ok {
			return o, fmt.Errorf("unknown argument %+q", args[i])
		}
		if !inline {
			if i++; i == len(args) {
				return o, fmt.Errorf("%s needs a value", name)
			}
			value = args[i]
		}
		*target = value
	}
	if o.plan != "" && o.facts != "" || o.session && o.plan+o.facts != "" {
		return o, errors.New("--plan, --facts and --session exclude each other")
	}
	return o, nil
}

func cut(arg string) (name, value string, inline bool) {
	for i := range arg {
		if arg[i] == '=' {
			return arg[:i], arg[i+1:], true
		}
	}
	return arg, "", false
}

// within runs work and answers for it when it panics or takes too long.
func within(limit time.Duration, d Dialect, event string, work func() Answer) Answer {
	done := make(chan Answer, 1)
	go func() {
		defer func() {
			if r := recover(); r != nil {
				done <- d.Fail(event, "an error of the guard's own")
			}
		}()
		done <- work()
	}()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case a := <-done:
		return a
	case <-timer.C:
		return d.Fail(event, "no answer in time")
	}
}

// judge is hookguard.Judge; tests put another in its place.
type judge func(hookguard.Event, hookguard.Facts) hookguard.Verdict

func answer(d Dialect, opts options, stdin io.Reader, ask judge) Answer {
	payload, err := readAll(stdin, maxPayload)
	if err != nil {
		return d.unreadable(opts.event, err)
	}
	if d.Whose != nil {
		if other, ok := Lookup(d.Whose(payload)); ok {
			d = other
		}
	}
	c, err := d.Read(payload, opts.event)
	if err != nil {
		return d.unreadable(c.Native, err)
	}
	if !c.Judged {
		return d.silent(pending(c, opts))
	}
	facts, err := loadFacts(opts, c.Cwd)
	if err != nil {
		return d.Fail(c.Native, err.Error())
	}
	kept := sessionsOf(facts)
	if c.Kind == "UserPromptSubmit" {
		kept.prune()
	}
	held, v, mine := kept.claim(d, c)
	if !mine && !d.Repeats {
		return d.silent(c)
	}
	if mine {
		c.Tool, c.Unseen, c.Dirs = serverName(c.Tool, facts.Servers), d.Unseen, d.Dirs
		v = ask(c.Event, facts)
		held.settle(v)
	}
	note(opts.log, c.Event, v)
	if v.Decision == hookguard.None {
		c.Pending = kept.take(c.Session)
		return d.silent(c)
	}
	if v.Decision == hookguard.Ask && !d.CanAsk(c, facts) {
		v = unasked(v)
	}
	a := d.Write(c, v)
	kept.keep(c.Session, a.Keep)
	return a
}

// pending looks for what was kept for a call that is not judged. Without
// facts there is nothing.
func pending(c Call, opts options) Call {
	if c.Native == "PreInvocation" {
		if facts, err := loadFacts(opts, c.Cwd); err == nil {
			c.Pending = sessionsOf(facts).take(c.Session)
		}
	}
	return c
}

func (d Dialect) silent(c Call) Answer {
	if d.Silent == nil {
		return Answer{}
	}
	return d.Silent(c)
}

func (d Dialect) unreadable(event string, err error) Answer {
	if d.Unreadable == nil {
		return d.Fail(event, err.Error())
	}
	return d.Unreadable(event, err.Error())
}

func readAll(r io.Reader, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, errors.New("the input cannot be read")
	}
	if int64(len(data)) > limit {
		return nil, errors.New("the input is too large")
	}
	return data, nil
}

// loadFacts reads the facts from the sealed plan, where they are the object
// "facts", or from a file that holds them alone.
func loadFacts(opts options, cwd string) (hookguard.Facts, error) {
	if opts.session {
		return SessionFacts(cwd)
	}
	name := opts.plan
	if name == "" {
		name = opts.facts
	}
	if name == "" {
		return hookguard.Facts{}, errors.New("none of --plan, --facts and --session given")
	}
	file, err := os.Open(name)
	if err != nil {
		return hookguard.Facts{}, fmt.Errorf("the facts file %+q cannot be opened", name)
	}
	defer file.Close()
	data, err := readAll(file, maxFacts)
	if err != nil {
		return hookguard.Facts{}, fmt.Errorf("the facts file %+q: %w", name, err)
	}
	return ParseFacts(data)
}

// FactsFile reads facts for the verbs that people call: from a file, or from
// the session's directory when there is none.
func FactsFile(name, cwd string) (hookguard.Facts, error) {
	return loadFacts(options{facts: name, session: name == ""}, cwd)
}

// Explain says what a command would do, and what the guard thinks of each
// part of it.
func Explain(command, dir string, facts hookguard.Facts) hookguard.Explanation {
	return hookguard.Explain(command, dir, facts)
}

// ParseFacts reads facts as JSON: the object itself, or the object under its
// key "facts". Facts without an absolute worktree are refused: nothing could
// be judged by them.
func ParseFacts(data []byte) (hookguard.Facts, error) {
	var plan struct {
		Facts json.RawMessage `json:"facts"`
	}
	if err := json.Unmarshal(data, &plan); err != nil {
		return hookguard.Facts{}, errors.New("the facts are no JSON object")
	}
	if len(plan.Facts) > 0 {
		data = plan.Facts
	}
	var facts hookguard.Facts
	if err := json.Unmarshal(data, &facts); err != nil {
		return hookguard.Facts{}, errors.New("the facts are not as they should be")
	}
	if len(facts.Worktree) == 0 || facts.Worktree[0] != '/' {
		return hookguard.Facts{}, errors.New("the facts name no worktree")
	}
	return facts, nil
}

func print(a Answer, stdout, stderr io.Writer) int {
	if a.Stderr != "" {
		if _, err := io.WriteString(stderr, a.Stderr); err != nil {
			return exitRefused
		}
	}
	if a.Stdout != "" {
		if _, err := io.WriteString(stdout, a.Stdout); err != nil {
			return exitRefused
		}
	}
	return a.Exit
}
