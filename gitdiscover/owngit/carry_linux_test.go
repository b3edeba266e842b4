package owngit

import (
	"context"
	"os"
	"strings"
	"testing"
)

// What is carried into another git directory is the commits and what they
// need, whatever else the agent left; the repository is not touched.
func TestCarry(t *testing.T) {
	s := newStage(t)
	s.plan()
	s.lane(`git switch -qc feat; for i in 1 2 3; do seq 100 >f$i; git add .; git commit -qm w$i; done; git gc -q; echo x >f4; git add f4; git commit -qm w4; git tag left`)
	// Nothing of this may be read, let alone run.
	s.write(s.dir+"/config", "[core]\n\tfsmonitor = touch "+s.root+"/marker\n[broken")
	s.write(s.dir+"/refs/replace/"+s.setup.Base, strings.Repeat("1", 40)+"\n")
	before := s.shared()
	to := s.root + "/state/second"
	s.must(s.setup.Make(to))
	tip, err := Carry(context.Background(), s.inputs(), to)
	s.must(err)
	s.unchanged(before)
	// Without the repository's objects beside them they are still all there.
	equal(t, "log", s.git(s.main, "--git-dir", to, "log", "--format=%s", tip), "w4\nw3\nw2\nw1\nsecond\nfirst")
	if out, err := s.tryGit(s.main, "--git-dir", to, "fsck", "--strict", "--no-progress", "--no-dangling", tip); err != nil {
		t.Errorf("fsck: %v\n%s", err, out)
	}
	if out := s.git(s.main, "--git-dir", to, "for-each-ref", "--contains", tip); out != "" {
		t.Errorf("a ref came with them: %s", out)
	}
	if _, err := os.Stat(s.root + "/marker"); err == nil {
		t.Error("something of the agent's ran")
	}
	// A second time there is as much to do, and it does no harm.
	again, err := Carry(context.Background(), s.inputs(), to)
	if err != nil || again != tip {
		t.Errorf("again: %s, %v", again, err)
	}
}

func TestCarryRefuses(t *testing.T) {
	for _, c := range []struct {
		name, script string
		spoil        func(s *stage)
		reason       Reason
	}{
		{"mid-merge", `git switch -qc feat HEAD~1; echo f >a.txt; git commit -qam f; git merge topic >/dev/null || true`, nil, Unfinished},
		{"unborn", `git switch -q --orphan none`, nil, UnbornHead},
		{"other alternates", `git commit -q --allow-empty -m work`, func(s *stage) { s.write(s.dir+"/objects/info/alternates", "/elsewhere\n") }, AlternatesChanged},
		{"a tree with .git in it", `b=$(echo x | git hash-object -w --stdin); t=$(printf "100644 blob $b\t.git\n" | git mktree); c=$(git commit-tree -p HEAD -m evil $t); git update-ref HEAD $c`, nil, BadObject},
		{"a missing object", `echo x >new; git add new; git commit -qm work; rm objects 2>/dev/null || true; find $(git rev-parse --git-common-dir)/objects -type f -path '*/??/*' | head -1 | xargs rm -f`, nil, MissingObject},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			s.plan()
			s.lane(c.script)
			if c.spoil != nil {
				c.spoil(s)
			}
			before := s.shared()
			to := s.root + "/state/second"
			s.must(s.setup.Make(to))
			_, err := Carry(context.Background(), s.inputs(), to)
			refused(t, err, c.reason)
			s.unchanged(before)
		})
	}
}
