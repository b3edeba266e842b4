package owngit

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
)

// put writes an object into the lane's store, whatever it holds.
func (s *stage) put(kind plumbing.ObjectType, data string) plumbing.Hash {
	h := hashOf(kind, []byte(data))
	s.putAs(h, fmt.Sprintf("%s %d\x00%s", kind, len(data), data))
	return h
}

// putAs writes a loose object file under any name, with any head.
func (s *stage) putAs(h plumbing.Hash, raw string) {
	s.t.Helper()
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	z.Write([]byte(raw))
	z.Close()
	s.write(s.dir+"/objects/"+looseName(h), b.String())
}

func entryText(mode, name string, h plumbing.Hash) string {
	return mode + " " + name + "\x00" + string(h[:])
}

const someone = "A <a@example.invalid> 1700000000 +0000"

// commitOn makes a commit with any tree on the lane's branch.
func (s *stage) commitOn(tree plumbing.Hash) plumbing.Hash {
	s.t.Helper()
	h := s.put(plumbing.CommitObject, fmt.Sprintf("tree %s\nparent %s\nauthor %s\ncommitter %s\n\nm\n", tree, s.setup.Base, someone, someone))
	s.write(s.dir+"/refs/heads/topic", h.String()+"\n")
	return h
}

// baseEntries is the base's tree, to be changed.
func (s *stage) baseEntries() string {
	s.t.Helper()
	a, _ := parseHash(s.git(s.main, "rev-parse", "HEAD:a.txt"))
	d, _ := parseHash(s.git(s.main, "rev-parse", "HEAD:dir"))
	return entryText("100644", "a.txt", a) + entryText("40000", "dir", d)
}

// commitFile adds one entry behind the base's.
func (s *stage) commitFile(mode, name, content string) {
	s.t.Helper()
	blob := s.put(plumbing.BlobObject, content)
	s.commitOn(s.put(plumbing.TreeObject, s.baseEntries()+entryText(mode, name, blob)))
}

// Whatever stands in the lane's directory: nothing is taken in, nothing of the
// shared directory changes, nothing runs, and nothing hangs.
func TestTakeInRefuses(t *testing.T) {
	blob := hashOf(plumbing.BlobObject, []byte("nowhere\n"))
	for _, c := range []struct {
		name   string
		script string // run in the lane first; a commit if empty
		spoil  func(s *stage)
		want   Reason
	}{
		{"alternates changed", "", func(s *stage) { s.write(s.dir+"/objects/info/alternates", "/elsewhere\n") }, AlternatesChanged},
		{"alternates with one more line", "", func(s *stage) {
			s.write(s.dir+"/objects/info/alternates", s.setup.alternatesText()+"/elsewhere\n")
		}, AlternatesChanged},
		{"alternates missing", "", func(s *stage) { s.must(os.Remove(s.dir + "/objects/info/alternates")) }, AlternatesChanged},
		{"alternates through a link", "", func(s *stage) { s.relink("objects/info/alternates") }, BadDirectory},
		{"the directory is a link", "", func(s *stage) {
			s.must(os.Rename(s.dir, s.root+"/state/real"))
			s.must(os.Symlink(s.root+"/state/real", s.dir))
		}, BadDirectory},
		{"objects is a link", "", func(s *stage) { s.relink("objects") }, BadDirectory},
		{"HEAD is a link", "", func(s *stage) { s.relink("worktrees/wt/HEAD") }, BadDirectory},
		{"HEAD is a FIFO", "", func(s *stage) { s.fifo("worktrees/wt/HEAD") }, BadDirectory},
		{"HEAD is missing", "", func(s *stage) { s.must(os.Remove(s.dir + "/worktrees/wt/HEAD")) }, BadDirectory},
		{"HEAD is noise", "", func(s *stage) { s.write(s.dir+"/worktrees/wt/HEAD", "ref: refs/../../x\n") }, BadDirectory},
		{"HEAD is huge", "", func(s *stage) { s.write(s.dir+"/worktrees/wt/HEAD", strings.Repeat("x", 1<<20)) }, TooLarge},
		{"packed-refs is a FIFO", "", func(s *stage) { s.fifo("packed-refs") }, BadDirectory},
		{"packed-refs is noise", "", func(s *stage) { s.write(s.dir+"/packed-refs", "noise\n") }, BadDirectory},
		{"a ref is a FIFO", "", func(s *stage) { s.fifo("refs/heads/pipe") }, BadDirectory},
		{"refs is a link", "", func(s *stage) { s.relink("refs") }, BadDirectory},
		{"index is a FIFO", "", func(s *stage) { s.fifo("worktrees/wt/index") }, BadDirectory},
		{"index is a link", "", func(s *stage) { s.relink("worktrees/wt/index") }, BadDirectory},
		{"index is missing", "", func(s *stage) { s.must(os.Remove(s.dir + "/worktrees/wt/index")) }, IndexUnsupported},
		{"worktrees is a link", "", func(s *stage) { s.relink("worktrees") }, BadDirectory},
		{"an object is a link", "", func(s *stage) { s.relink(s.tipFile()) }, BadDirectory},
		{"an object is a FIFO", "", func(s *stage) { s.fifo(s.tipFile()) }, BadDirectory},
		{"an object is a directory", "", func(s *stage) {
			s.must(os.Remove(s.dir + "/" + s.tipFile()))
			s.must(os.Mkdir(s.dir+"/"+s.tipFile(), 0o755))
		}, BadDirectory},
		{"an object's directory is a link", "", func(s *stage) { s.relink(filepath.Dir(s.tipFile())) }, BadDirectory},
		{"an object is noise", "", func(s *stage) { s.rewrite(s.tipFile(), "noise") }, BadObject},
		{"an object is cut", "", func(s *stage) {
			data, err := os.ReadFile(s.dir + "/" + s.tipFile())
			s.must(err)
			s.rewrite(s.tipFile(), string(data[:len(data)/2]))
		}, BadObject},
		{"an object has another name", "", func(s *stage) {
			h := hashOf(plumbing.CommitObject, []byte("other"))
			data, err := os.ReadFile(s.dir + "/" + s.tipFile())
			s.must(err)
			s.write(s.dir+"/objects/"+looseName(h), string(data))
			s.write(s.dir+"/refs/heads/topic", h.String()+"\n")
		}, BadObject},
		{"a blob has another name", "", func(s *stage) {
			s.commitOn(s.put(plumbing.TreeObject, s.baseEntries()+entryText("100644", "n", blob)))
			s.putAs(blob, "blob 5\x00other")
		}, BadObject},
		{"a blob claims 90 GB", "", func(s *stage) {
			s.commitOn(s.put(plumbing.TreeObject, s.baseEntries()+entryText("100644", "n", blob)))
			s.putAs(blob, "blob 99999999999\x00x")
		}, TooLarge},
		{"a blob is longer than it claims", "", func(s *stage) {
			s.commitOn(s.put(plumbing.TreeObject, s.baseEntries()+entryText("100644", "n", blob)))
			s.putAs(blob, "blob 2\x00"+strings.Repeat("\x00", 64<<20))
		}, BadObject},
		{"a tree is longer than it claims", "", func(s *stage) {
			s.commitOn(blob)
			s.putAs(blob, "tree 2\x00"+strings.Repeat("\x00", 64<<20))
		}, BadObject},
		{"a size with a sign", "", func(s *stage) { s.commitOn(blob); s.putAs(blob, "tree -1\x00") }, BadObject},
		{"a missing blob", "", func(s *stage) {
			s.commitOn(s.put(plumbing.TreeObject, s.baseEntries()+entryText("100644", "n", blob)))
		}, MissingObject},
		{"a missing tree", "", func(s *stage) { s.commitOn(blob) }, MissingObject},
		{"a missing parent", "", func(s *stage) {
			h := s.put(plumbing.CommitObject, fmt.Sprintf("tree %s\nparent %s\nparent %s\nauthor %s\ncommitter %s\n\nm\n", s.git(s.main, "rev-parse", "HEAD^{tree}"), s.setup.Base, blob, someone, someone))
			s.write(s.dir+"/refs/heads/topic", h.String()+"\n")
		}, MissingObject},
		{"a blob for a tree", "", func(s *stage) { s.commitOn(s.put(plumbing.BlobObject, "no tree\n")) }, BadObject},
		{"the repository's blob for a tree", "", func(s *stage) {
			h, _ := parseHash(s.git(s.main, "rev-parse", "HEAD:a.txt"))
			s.commitOn(h)
		}, BadObject},
		{"HEAD is a blob", "", func(s *stage) { s.write(s.dir+"/refs/heads/topic", s.put(plumbing.BlobObject, "x").String()+"\n") }, BadObject},
		{"tree with .GIT", "", func(s *stage) { s.commitFile("100644", ".GIT", "x") }, BadObject},
		{"tree with ..", "", func(s *stage) { s.commitFile("100644", "..", "x") }, BadObject},
		{"tree with a path", "", func(s *stage) { s.commitFile("100644", "e/f", "x") }, BadObject},
		{"tree with an absolute path", "", func(s *stage) { s.commitFile("100644", "/f", "x") }, BadObject},
		{"tree with a name twice", "", func(s *stage) { s.commitFile("100644", "dir", "x") }, BadObject},
		{"tree in the wrong order", "", func(s *stage) { s.commitFile("100644", "a", "x") }, BadObject},
		{"tree with an odd mode", "", func(s *stage) { s.commitFile("104755", "e", "x") }, BadObject},
		{"tree with a padded mode", "", func(s *stage) { s.commitFile("0100644", "e", "x") }, BadObject},
		{"a broken tree below", "", func(s *stage) {
			sub := s.put(plumbing.TreeObject, entryText("100644", ".git", s.put(plumbing.BlobObject, "x")))
			s.commitOn(s.put(plumbing.TreeObject, s.baseEntries()+entryText("40000", "e", sub)))
		}, BadObject},
		{"a broken tree in the middle of history", "", func(s *stage) {
			bad := s.commitOn(s.put(plumbing.TreeObject, entryText("100644", ".git", s.put(plumbing.BlobObject, "x"))))
			h := s.put(plumbing.CommitObject, fmt.Sprintf("tree %s\nparent %s\nauthor %s\ncommitter %s\n\nm\n", s.git(s.main, "rev-parse", "HEAD^{tree}"), bad, someone, someone))
			s.write(s.dir+"/refs/heads/topic", h.String()+"\n")
		}, BadObject},
		{"a gitlink", "", func(s *stage) { s.commitFile("160000", "sub", "x") }, Gitlink},
		{"a nested repository added", `git init -q sub; git -C sub -c user.name=a -c user.email=a@b commit -q --allow-empty -m x; git add sub 2>/dev/null; git commit -qm sub`, nil, Gitlink},
		{".gitmodules", `printf '[submodule "x"]\n\turl = /x\n\tpath = x\n' >.gitmodules; git add -f .gitmodules; git commit -qm mod`, nil, Gitmodules},
		{"wiring", `echo '{}' >.mcp.json; git add -f .mcp.json; git commit -qm wiring`, nil, WiringCommitted},
		{"wiring in another case", `mkdir .VSCode; echo '{}' >.VSCode/tasks.json; git add .; git commit -qm wiring`, nil, WiringCommitted},
		{"wiring in a directory below", `mkdir -p pkg/.vscode; echo '{}' >pkg/.vscode/tasks.json; git add -f pkg; git commit -qm wiring`, nil, WiringCommitted},
		{"a link where wiring would be", `ln -s elsewhere .claude; git add .; git commit -qm wiring`, nil, WiringCommitted},
		{"grafts", `git commit -q --amend -m other; echo "$(git rev-parse HEAD) $(git rev-parse ORIG_HEAD 2>/dev/null || git rev-parse HEAD@{1})" >"$(git rev-parse --git-common-dir)/info/grafts"`, nil, BaseDiverged},
		{"a replace ref that makes a descendant", `b=$(git rev-parse HEAD); git commit -q --amend -m other; c=$(git commit-tree -p $b -m fake HEAD^{tree}); git replace HEAD $c; git merge-base --is-ancestor $b HEAD`, nil, BaseDiverged},
		{"an unsigned index", "", func(s *stage) {
			s.rewrite("worktrees/wt/index", "DIRC\x00\x00\x00\x02\xff\xff\xff\xff"+strings.Repeat("x", 40))
		}, IndexUnsupported},
		{"an index entry outside the worktree", "", func(s *stage) { s.indexEntry("../x", modeFile) }, IndexUnsupported},
		{"an index entry in .git", "", func(s *stage) { s.indexEntry(".git/hooks/x", modeFile) }, IndexUnsupported},
		{"an index entry with an odd mode", "", func(s *stage) { s.indexEntry("x", 0o104755) }, IndexUnsupported},
		{"an index entry without its object", "", func(s *stage) { s.indexEntry("x", modeFile) }, MissingObject},
		{"a pack is a FIFO", "", func(s *stage) { s.fifo("objects/pack/pack-x.pack") }, BadDirectory},
		{"a pack is a link", "", func(s *stage) {
			s.must(os.Symlink("/etc/passwd", s.dir+"/objects/pack/pack-x.pack"))
		}, BadDirectory},
		{"a pack is noise", "", func(s *stage) { s.write(s.dir+"/objects/pack/pack-x.pack", strings.Repeat("noise", 20)) }, BadObject},
		{"a pack claims four billion objects", "", func(s *stage) { s.pack(1<<32 - 1) }, TooLarge},
		{"a pack claims one object more than it has", "", func(s *stage) { s.pack(2, packed(3, "x")) }, BadObject},
		{"a pack has bytes that belong to nothing", "", func(s *stage) { s.pack(1, packed(3, "x"), "more") }, BadObject},
		{"a packed object claims 4 EB", "", func(s *stage) { s.pack(1, "\xb0\xff\xff\xff\xff\xff\xff\xff\x3f"+deflated("x")) }, TooLarge},
		{"a packed object has a broken size", "", func(s *stage) { s.pack(1, strings.Repeat("\xff", 40)+deflated("x")) }, BadObject},
		{"a packed object is longer than it claims", "", func(s *stage) { s.pack(1, "\x31"+deflated(strings.Repeat("\x00", 64<<20))) }, BadObject},
		{"a delta of itself", "", func(s *stage) { s.pack(1, "\x63\x00"+deflated("\x01\x01\x01")) }, BadObject},
		{"a delta of what is not there", "", func(s *stage) { s.pack(1, "\x73"+string(blob[:])+deflated("\x01\x01\x01")) }, BadObject},
		{"a delta of something between objects", "", func(s *stage) { s.pack(2, packed(3, "xxxx"), "\x63\x05"+deflated("\x04\x01\x01")) }, BadObject},
		{"a delta that copies from behind its base", "", func(s *stage) { s.pack(2, packed(3, "x"), ofsDelta(packed(3, "x"), "\x01\x05\x91\x01\x05")) }, BadObject},
		{"a delta bomb", "", func(s *stage) { s.bomb() }, TooLarge},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			s.plan()
			script := c.script
			if script == "" {
				script = `echo x >new; git add new; git commit -qm work`
			}
			s.lane(script)
			if c.spoil != nil {
				c.spoil(s)
			}
			before := s.shared()
			began := time.Now()
			in := s.inputs()
			in.KeepRefs = c.want != Gitlink && c.want != Gitmodules && c.want != WiringCommitted && c.want != BaseDiverged
			_, err := TakeIn(context.Background(), in)
			refused(t, err, c.want)
			if d := time.Since(began); d > 30*time.Second {
				t.Errorf("took %v", d)
			}
			if !in.KeepRefs {
				s.unchanged(before)
			}
			s.sound()
		})
	}
}

// tipFile is the loose object of the lane's tip.
func (s *stage) tipFile() string {
	data, err := os.ReadFile(s.dir + "/refs/heads/topic")
	s.must(err)
	h, _ := parseHash(strings.TrimSpace(string(data)))
	return "objects/" + looseName(h)
}

// relink puts a link to the same thing in its place.
func (s *stage) relink(rel string) {
	s.t.Helper()
	s.must(os.Rename(s.dir+"/"+rel, s.dir+"/"+rel+".real"))
	s.must(os.Symlink(filepath.Base(rel)+".real", s.dir+"/"+rel))
}

func (s *stage) fifo(rel string) {
	s.t.Helper()
	os.Remove(s.dir + "/" + rel)
	s.must(syscall.Mkfifo(s.dir+"/"+rel, 0o644))
}

func (s *stage) rewrite(rel, data string) {
	s.t.Helper()
	os.Remove(s.dir + "/" + rel)
	s.write(s.dir+"/"+rel, data)
}

// indexEntry writes an index of one entry.
func (s *stage) indexEntry(name string, mode uint32) {
	e := indexEntry{name: name, hash: hashOf(plumbing.BlobObject, []byte("not there"))}
	binary.BigEndian.PutUint32(e.stat[offMode:], mode)
	s.rewrite("worktrees/wt/index", string(encodeIndex(2, []indexEntry{e})))
}

// pack writes a pack of any pieces, claiming count objects.
func (s *stage) pack(count uint32, pieces ...string) {
	s.t.Helper()
	head := binary.BigEndian.AppendUint32([]byte("PACK\x00\x00\x00\x02"), count)
	s.write(s.dir+"/objects/pack/pack-x.pack", string(head)+strings.Join(pieces, "")+strings.Repeat("\x00", hashSize))
}

func deflated(data string) string {
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	z.Write([]byte(data))
	z.Close()
	return b.String()
}

func entryHead(kind byte, size int) string {
	var b []byte
	c := kind<<4 | byte(size&15)
	for size >>= 4; size > 0; size >>= 7 {
		b = append(b, c|0x80)
		c = byte(size & 0x7f)
	}
	return string(append(b, c))
}

func packed(kind byte, data string) string { return entryHead(kind, len(data)) + deflated(data) }

// ofsDelta is a delta of the entry right before it.
func ofsDelta(before, delta string) string {
	return entryHead(6, len(delta)) + string(appendOffsetVarint(nil, uint64(len(before)))) + deflated(delta)
}

// bomb is a chain of deltas each of which is a hundred times its base.
func (s *stage) bomb() {
	base := strings.Repeat("x", 60000)
	entry := packed(3, base)
	pieces, size := []string{entry}, len(base)
	for range 5 {
		n := min(size, 0xffffff)
		op := string([]byte{0x80 | 0x70, byte(n), byte(n >> 8), byte(n >> 16)})
		delta := varint(size) + varint(100*n) + strings.Repeat(op, 100)
		entry = ofsDelta(entry, delta)
		pieces = append(pieces, entry)
		size = 100 * n
	}
	s.pack(uint32(len(pieces)), pieces...)
}

func varint(n int) string {
	var b []byte
	for ; n >= 0x80; n >>= 7 {
		b = append(b, byte(n)|0x80)
	}
	return string(append(b, byte(n)))
}

// Every way in which a git directory makes git run a program: the take-in runs
// none of them, and what it brings in runs none in the user's git.
func TestNothingOfTheAgentsRuns(t *testing.T) {
	s := newStage(t)
	s.plan()
	marker := s.root + "/state/ran"
	s.write(s.root+"/state/evil", "#!/bin/sh\necho \"$0 $*\" >>"+marker+"\ncat\n")
	s.must(os.Chmod(s.root+"/state/evil", 0o755))
	s.lane(`echo x >new; git add new; git commit -qm work; printf '*.txt filter=evil diff=evil merge=evil\n' >.gitattributes; git add .gitattributes; git commit -qm attributes`)
	evil := s.root + "/state/evil"
	config := "[core]\n"
	for _, k := range []string{"fsmonitor", "sshCommand", "pager", "editor", "askPass", "gitProxy", "alternateRefsCommand"} {
		config += "\t" + k + " = " + evil + "\n"
	}
	config += "\thooksPath = " + s.root + "/state/hooks\n\tworktree = /\n[include]\n\tpath = " + s.root + "/state/more\n"
	for _, section := range []string{`[diff "evil"]` + "\n\ttextconv = EVIL\n\tcommand = EVIL", "[diff]\n\texternal = EVIL", `[filter "evil"]` + "\n\tclean = EVIL\n\tsmudge = EVIL\n\tprocess = EVIL\n\trequired",
		`[merge "evil"]` + "\n\tdriver = EVIL", "[gpg]\n\tprogram = EVIL", "[credential]\n\thelper = EVIL", "[alias]\n\tstatus = !EVIL\n\tx = !EVIL", "[commit]\n\tgpgSign", "[log]\n\tshowSignature",
		`[hook "evil"]` + "\n\tcommand = EVIL\n\tevent = post-update\n\tevent = reference-transaction\n\tevent = pre-receive", "[uploadpack]\n\tpackObjectsHook = EVIL", "[gc]\n\trecentObjectsHook = EVIL", `[remote "origin"]` + "\n\tvcs = evil\n\tpromisor\n\turl = ext::EVIL",
		"[extensions]\n\tpartialClone = origin\n[core]\n\trepositoryFormatVersion = 1"} {
		config += strings.ReplaceAll(section, "EVIL", evil) + "\n"
	}
	s.write(s.dir+"/config", config)
	s.write(s.root+"/state/more", config)
	for _, dir := range []string{s.dir + "/hooks/", s.root + "/state/hooks/"} {
		for _, h := range []string{"reference-transaction", "post-update", "pre-receive", "update", "post-receive", "pre-commit", "post-commit", "post-index-change", "fsmonitor-watchman", "post-checkout", "pre-auto-gc", "post-rewrite", "proc-receive"} {
			s.write(dir+h, "#!/bin/sh\nexec "+evil+"\n")
			s.must(os.Chmod(dir+h, 0o755))
		}
	}
	for _, rel := range []string{"objects/info/commit-graph", "objects/pack/multi-pack-index", "objects/pack/pack-x.idx", "objects/info/http-alternates", "shallow", "info/grafts", "info/attributes", "config.worktree"} {
		s.write(s.dir+"/"+rel, "noise that must not be read\n")
	}
	taken, err := s.takeIn()
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "attributes", strings.Join(taken.Seen.Attributes, " "), ".gitattributes")
	s.git(s.wt, "status")
	s.git(s.wt, "log", "-p")
	s.git(s.wt, "diff", "HEAD~1")
	if data, err := os.ReadFile(marker); err == nil {
		t.Errorf("ran: %s", data)
	}
	s.sound()
}
