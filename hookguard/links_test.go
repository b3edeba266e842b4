package hookguard

import "testing"

// TestResolve is the kernel's order: links before "..", the deepest part that
// exists, the magic links of /proc by what they mean to the command.
func TestResolve(t *testing.T) {
	links := LinkMap{"/a/l": "../b", "/b/m": "/c", "/a/self": "self", "/x": "y/z", "/y/z": "w"}
	for _, c := range []struct {
		path   string
		follow bool
		want   string
		ok     bool
	}{
		{"/a/l/x", true, "/b/x", true}, {"/a/l/../d", true, "/d", true}, {"/a/l/m/x", true, "/c/x", true},
		{"/a/l", true, "/b", true}, {"/a/l", false, "/a/l", true}, {"/a/l/", false, "/b", true}, {"/a/l/.", false, "/b", true},
		{"/a/self/x", true, "/a/self/x", false}, {"/x", true, "/y/w", true}, {"/../../e", true, "/e", true}, {"//a///b", true, "/a/b", true},
		{"/nowhere/../b/m", true, "/c", true}, {"/proc/self/root/e", true, "/e", true}, {"/proc/123/cwd/e", true, "/wt/proj/e", true}, {"/proc/self/task/7/root/e", true, "/e", true},
		{"/dev/fd/3", true, "/proc/self/fd/3", true}, {"/", true, "/", true},
	} {
		if got, ok := resolve(links, c.path, "/wt/proj", c.follow); ok != c.ok || ok && got != c.want {
			t.Errorf("%s (follow %v): %s %v, want %s %v", c.path, c.follow, got, ok, c.want, c.ok)
		}
	}
}

// TestFactsThroughLinks: facts that were written with a link in them hold for
// the place it leads to.
func TestFactsThroughLinks(t *testing.T) {
	links := LinkMap{"/home/dev/src": "/data/src", "/out": "/data/out"}
	set := func(f *Facts) {
		f.Worktree, f.CommonDir, f.AllowOutside = "/home/dev/src/proj", "/home/dev/src/repo/.git", StringList{"/out"}
	}
	passed(t, "by the link", rawCall("Write", `{"file_path":"/home/dev/src/proj/a"}`, "/home/dev/src/proj", set, links))
	passed(t, "by the real path", rawCall("Write", `{"file_path":"/data/src/proj/a"}`, "/data/src/proj", set, links))
	passed(t, "an allowed directory", rawCall("Write", `{"file_path":"/data/out/a"}`, "/data/src/proj", set, links))
	denied(t, "the shared .git", rawCall("Write", `{"file_path":"/data/src/repo/.git/config"}`, "/data/src/proj", set, links), "lane/shared-git")
	denied(t, "beside it", rawCall("Write", `{"file_path":"../x"}`, "/home/dev/src/proj", set, links), "lane/outside")
}

// TestLookAlikes of .git are .git on some file system.
func TestLookAlikes(t *testing.T) {
	for name, want := range map[string]bool{
		".git": true, ".GIT": true, ".gIt": true, ".git.": true, ".git ": true, ".git. .": true, "git~1": true, "GIT~1": true, ".git::$INDEX_ALLOCATION": true, ".git:x": true,
		".g\u200cit": true, "\ufeff.git": true, ".git\u202e": true, ".gitx": false, "git": false, ".github": false, "git~2": false, "x.git": false, "": false, ".gi": false,
	} {
		if isDotGit(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
}
