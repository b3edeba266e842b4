package seal

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// withSubmodule gives the main worktree a submodule, checked out there and in
// the lane: its git directories are in modules/ of both.
func (s *scene) withSubmodule() {
	s.git(".", "init", "-q", "-b", "main", "lib")
	s.commit("lib", "lib")
	for _, dir := range []string{"main", "lane"} {
		s.git(dir, "-c", "protocol.file.allow=always", "submodule", "add", "-q", "--name", "libs/lib", s.path("lib"), "lib")
		s.git(dir, "commit", "-qm", "submodule")
	}
}

func TestSubmodules(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(s *scene)
		want []string
	}{
		{"a program in the config", func(s *scene) { s.git("main/lib", "config", "core.fsmonitor", "/evil") },
			[]string{"submodule-config main/.git/modules/libs/lib/config core.fsmonitor"}},
		{"the lane's own", func(s *scene) { s.git("lane/lib", "config", "core.fsmonitor", "/evil") },
			[]string{"submodule-config main/.git/worktrees/lane/modules/libs/lib/config core.fsmonitor"}},
		{"a hook", func(s *scene) { s.write("main/.git/modules/libs/lib/hooks/post-checkout", "evil\n") },
			[]string{"submodule-config main/.git/modules/libs/lib/hooks/post-checkout"}},
		{"a broken config", func(s *scene) { s.write("main/.git/modules/libs/lib/config", "[") },
			[]string{"submodule-config main/.git/modules/libs/lib/config"}},
		{"work in it", func(s *scene) {
			s.commit("main/lib", "work")
			s.git("main/lib", "config", "user.name", "x")
			s.git("main/lib", "fetch", "-q", "--all")
			s.git("main/lib", "gc", "-q")
			s.git("main", "-c", "protocol.file.allow=always", "submodule", "update", "-q", "--init", "--recursive", "--remote")
			s.git("main", "submodule", "sync", "-q")
			s.git("main", "submodule", "deinit", "-q", "--all", "--force")
		}, nil},
		{"another one", func(s *scene) {
			s.git("main", "-c", "protocol.file.allow=always", "submodule", "add", "-q", s.path("lib"), "second")
		}, nil},
		{"one that goes", func(s *scene) { s.must(os.RemoveAll(s.common("modules"))) }, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScene(t)
			s.withSubmodule()
			r := s.after(func() { c.do(s) })
			if got := s.brief(r.Tripped); !slices.Equal(got, c.want) {
				t.Errorf("tripped:\n  %s\nwant:\n  %s", strings.Join(got, "\n  "), strings.Join(c.want, "\n  "))
			}
			if got := s.brief(r.Reported); c.want == nil && len(got) == 0 {
				t.Error("nothing is reported")
			}
		})
	}
}

// A lane in a submodule: the git directory in modules/ is the shared one.
func TestLaneInASubmodule(t *testing.T) {
	s := newScene(t)
	s.withSubmodule()
	s.repo = s.discover(s.path("main/lib"))
	if want := s.common("modules/libs/lib"); s.repo.CommonDir != want {
		t.Fatalf("%+v, want %s", s.repo, want)
	}
	s.quiet(s.after(func() { s.git("main", "status") }))
	got := s.brief(s.after(func() { s.commit("main/lib", "x") }).Tripped)
	if !slices.Equal(got, []string{"own-branch main/.git/modules/libs/lib/refs/heads/main refs/heads/main"}) {
		t.Errorf("%q", got)
	}
}
