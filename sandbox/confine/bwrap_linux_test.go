package confine

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lane/sandbox"
)

// goldenPolicy has one row of each kind and the shapes that matter: below
// private, pinned, with a source, a file that is hidden.
func goldenPolicy() sandbox.Policy {
	rows := sandbox.BaseRows()
	for _, row := range []sandbox.Row{
		{Path: "/home/u", Access: sandbox.Private, Size: 1 << 20, Mode: 0o700},
		{Path: "/home/u/go/bin/lane", Access: sandbox.Read, File: true},
		{Path: "/home/u/src/repo", Access: sandbox.Read},
		{Path: "/home/u/src/repo/.git", Access: sandbox.Protect},
		{Path: "/home/u/src/a lane", Access: sandbox.Write},
		{Path: "/home/u/src/a lane/.git", Access: sandbox.Protect, Source: "/state/pointer", File: true},
		{Path: "/home/u/src/a lane/.claude/settings.json", Access: sandbox.Protect, File: true},
		{Path: "/home/u/src/a lane/.env", Access: sandbox.Hide, File: true},
		{Path: "/etc/ssl/private", Access: sandbox.Hide},
		{Path: "/srv/log", Access: sandbox.Hide, File: true},
	} {
		row.Reason = "golden"
		rows = append(rows, row)
	}
	return sandbox.Policy{Rows: rows, Network: sandbox.NetworkNone}
}

func goldenOptions() Options {
	return Options{BwrapPath: "/usr/bin/bwrap", Cwd: "/home/u/src/a lane", EmptyFile: "/state/empty"}
}

var goldenChild = []string{"/home/u/go/bin/lane", "confine"}

// The complete argv, byte by byte, for each way to start.
func TestBwrapGolden(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*sandbox.Policy, *Options)
	}{
		{"exec-user", func(*sandbox.Policy, *Options) {}},
		{"exec-root", func(_ *sandbox.Policy, o *Options) { o.Root = true }},
		{"agent-user", func(p *sandbox.Policy, _ *Options) { p.Nesting, p.Network = true, sandbox.NetworkHost }},
		{"agent-root", func(p *sandbox.Policy, o *Options) {
			p.Nesting, p.Network, o.Root = true, sandbox.NetworkHost, true
		}},
		{"terminal", func(p *sandbox.Policy, _ *Options) { p.Terminal = true }},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, opt := goldenPolicy(), goldenOptions()
			c.change(&p, &opt)
			argv, err := bwrap{}.Argv(p, goldenChild, opt)
			must(t, err)
			golden(t, "bwrap-"+c.name, renderArgv(argv))
		})
	}
}

// renderArgv puts every option on a line of its own, %q where needed.
func renderArgv(argv []string) string {
	var b strings.Builder
	for i, arg := range argv {
		switch {
		case i == 0:
		case strings.HasPrefix(arg, "--"):
			b.WriteString("\n")
		default:
			b.WriteString(" ")
		}
		if strings.ContainsAny(arg, " \"") {
			arg = `"` + arg + `"`
		}
		b.WriteString(arg)
	}
	return b.String() + "\n"
}

func golden(t testing.TB, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if *update {
		must(t, os.MkdirAll("testdata", 0o755))
		must(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	must(t, err)
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (go test -update rewrites it):\n%s", path, diff)
	}
}

// Every field of a policy changes what is started, what the child does, or a
// gap: none is silently ignored.
func TestEveryPolicyFieldCounts(t *testing.T) {
	opt := goldenOptions()
	render := func(p sandbox.Policy) string {
		argv, err := bwrap{}.Argv(p, goldenChild, opt)
		must(t, err)
		return renderArgv(argv) + toJSON(Probes(p)) + toJSON(bwrap{}.Gaps(p, true))
	}
	base := render(goldenPolicy())
	policyChanges := map[string]func(*sandbox.Policy){
		"Rows":     func(p *sandbox.Policy) { p.Rows = p.Rows[:len(p.Rows)-1] },
		"Network":  func(p *sandbox.Policy) { p.Network = sandbox.NetworkHost },
		"Nesting":  func(p *sandbox.Policy) { p.Nesting = true },
		"Terminal": func(p *sandbox.Policy) { p.Terminal = true },
		"Limits":   func(p *sandbox.Policy) { p.Limits.Procs = 7 },
	}
	checkFields(t, reflect.TypeFor[sandbox.Policy](), policyChanges, func(change func(*sandbox.Policy)) bool {
		p := goldenPolicy()
		change(&p)
		return render(p) != base
	})
	limitChanges := map[string]func(*sandbox.Limits){
		"Memory":   func(l *sandbox.Limits) { l.Memory = 1 },
		"Procs":    func(l *sandbox.Limits) { l.Procs = 1 },
		"FileSize": func(l *sandbox.Limits) { l.FileSize = 1 },
		"CPUTime":  func(l *sandbox.Limits) { l.CPUTime = 1 },
	}
	checkFields(t, reflect.TypeFor[sandbox.Limits](), limitChanges, func(change func(*sandbox.Limits)) bool {
		p := goldenPolicy()
		change(&p.Limits)
		return render(p) != base
	})
	// One private row, changed field by field.
	withRow := func(row sandbox.Row) sandbox.Policy {
		p := goldenPolicy()
		p.Rows = append(p.Rows, row)
		return p
	}
	plain := sandbox.Row{Path: "/x", Access: sandbox.Private, Reason: "golden"}
	rowChanges := map[string]func(*sandbox.Row){
		"Path":   func(r *sandbox.Row) { r.Path = "/y" },
		"Access": func(r *sandbox.Row) { r.Access = sandbox.Write },
		"Source": func(r *sandbox.Row) { r.Access, r.Source = sandbox.Write, "/z" },
		"File":   func(r *sandbox.Row) { r.Access, r.File = sandbox.Write, true },
		"Size":   func(r *sandbox.Row) { r.Size = 1 },
		"Mode":   func(r *sandbox.Row) { r.Mode = 0o700 },
		"Reason": nil, // for people; it must not change what is enforced
		"Reopen": nil, // for sandbox.Validate alone
	}
	checkFields(t, reflect.TypeFor[sandbox.Row](), rowChanges, func(change func(*sandbox.Row)) bool {
		row := plain
		change(&row)
		return render(withRow(row)) != render(withRow(plain))
	})
}

func checkFields[T any](t *testing.T, typ reflect.Type, changes map[string]func(*T), counts func(func(*T)) bool) {
	t.Helper()
	for i := range typ.NumField() {
		name := typ.Field(i).Name
		change, known := changes[name]
		switch {
		case !known:
			t.Errorf("%s.%s is new: say here how it changes what bwrap does", typ.Name(), name)
		case change != nil && !counts(change):
			t.Errorf("%s.%s is ignored", typ.Name(), name)
		}
	}
}

// Properties over all ways to start, not only the golden ones.
func TestBwrapArgvProperties(t *testing.T) {
	for bits := range 16 {
		p, opt := goldenPolicy(), goldenOptions()
		opt.Root, p.Nesting, p.Terminal = bits&1 != 0, bits&2 != 0, bits&4 != 0
		if bits&8 != 0 {
			p.Network = sandbox.NetworkHost
		}
		argv, err := bwrap{}.Argv(p, goldenChild, opt)
		must(t, err)
		text := " " + strings.Join(argv, " ") + " "
		for flag, want := range map[string]bool{
			" --unshare-user ": true, " --unshare-pid ": true, " --unshare-ipc ": true, " --die-with-parent ": true,
			" --uid 1000 --gid 1000 ":           opt.Root,
			" --disable-userns ":                !p.Nesting,
			" --new-session ":                   !p.Terminal,
			" --unshare-net ":                   p.Network == sandbox.NetworkNone,
			" --ro-bind /proc/sys /proc/sys ":   opt.Root || !p.Nesting,
			" --setenv ":                        false,
			" --clearenv ":                      false,
			" --cap-add ":                       false,
			" --dev-bind ":                      false,
			" --bind / / ":                      false,
			" -- /home/u/go/bin/lane confine ":  true,
			" --remount-ro /etc/ssl/private ":   true,
			" --bind-try ":                      false,
			" --ro-bind-try /home":              false,
			" --ro-bind /state/empty /srv/log ": true,
		} {
			if strings.Contains(text, flag) != want {
				t.Errorf("%04b: %q present: %v, want %v", bits, flag, !want, want)
			}
		}
	}
}

// A policy that is not valid, or cannot be rendered, is no argv.
func TestBwrapArgvRefuses(t *testing.T) {
	for name, change := range map[string]func(*sandbox.Policy, *Options, *[]string){
		"invalid policy": func(p *sandbox.Policy, _ *Options, _ *[]string) { p.Rows = nil },
		"no bwrap":       func(_ *sandbox.Policy, o *Options, _ *[]string) { o.BwrapPath = "" },
		"no empty file":  func(_ *sandbox.Policy, o *Options, _ *[]string) { o.EmptyFile = "" },
		"relative cwd":   func(_ *sandbox.Policy, o *Options, _ *[]string) { o.Cwd = "--bind" },
		"no child":       func(_ *sandbox.Policy, _ *Options, c *[]string) { *c = nil },
		"too many rows": func(p *sandbox.Policy, _ *Options, _ *[]string) {
			for i := range 3000 {
				p.Rows = append(p.Rows, sandbox.Row{Path: "/many/" + strings.Repeat("x", i+1), Access: sandbox.Read, Reason: "many"})
			}
		},
	} {
		p, opt, child := goldenPolicy(), goldenOptions(), goldenChild
		change(&p, &opt, &child)
		if argv, err := (bwrap{}).Argv(p, child, opt); err == nil {
			t.Errorf("%s: %d arguments", name, len(argv))
		}
	}
}

// A layer is registered once; one that is not there is ErrNoLayer.
func TestRegistry(t *testing.T) {
	if _, err := Lookup("none"); err != ErrNoLayer {
		t.Errorf("none: %v", err)
	}
	if _, err := Lookup("bwrap"); err != nil {
		t.Errorf("bwrap: %v", err)
	}
	defer func() {
		if recover() == nil {
			t.Error("a second bwrap was registered")
		}
	}()
	register(bwrap{})
}
