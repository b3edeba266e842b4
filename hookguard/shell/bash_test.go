package shell

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lane/e2e/feature"
)

// needBash skips by name where there is no bash to compare with.
func needBash(t *testing.T) string {
	t.Helper()
	bash, err := exec.LookPath("bash")
	if err != nil {
		feature.Missing(t, "bash", err.Error())
	}
	return bash
}

// printed is what the interpreter says a command prints.
func printed(command, dir string) (string, Report) {
	in := newInterp(Request{Command: command, Dir: dir, Vars: map[string]string{"HOME": "/home/dev", "USER": "dev", "TMPDIR": "/wt/tmp"}})
	text := in.collect(func(io stdio) { in.code(command, newState(in.req), io, "the command") })
	return text, in.report
}

// expansions print known text only; bash is asked what it is.
var expansions = []string{
	`echo a  b "c  d" 'e $x' $'f\tg\x41\101'`,
	`x=abc; echo ${x} ${#x} ${x:1} ${x:1:1} ${x: -1} ${x:0:-1}`,
	`x=/a/b/c.tar.gz; echo ${x##*/} ${x#*/} ${x%/*} ${x%%/*} ${x%.*} ${x%%.*} ${x##*.}`,
	`x=aXbXc; echo ${x/X/-} ${x//X/-} ${x/#a/z} ${x/%c/z} ${x//[ab]/_}`,
	`x=hello; echo ${x^} ${x^^}`, `x=HELLO; echo ${x,} ${x,,}`,
	`echo ${u-a} ${u:-b} ${e=d} ${e} ${e:+f}`,
	`e=; echo "[${e-a}]" "[${e:-b}]" "[${e+c}]"`,
	`set -- a "b c" d; echo $1 "$2" ; for i in "$@"; do echo "<$i>"; done; shift; echo "$*"`,
	`set -- 1 2 3 4; echo "${@:2}" "${@:2:2}"`,
	`a=(x "y z" w); echo "${a[1]}" "${a[@]}" ${a[-1]} "${a[@]:1:1}"`,
	`declare -A m=([k]=v [l]=w); echo ${m[k]} ${m[l]}`,
	`x=1; y=x; echo ${!y}`, `declare -n r=z; r=5; echo $z`,
	`echo {a,b}c{1..3} {5..3} {a..c} x{,y}`, `echo a{b,c{d,e}}f`, `echo "{a,b}" \{a,b}`,
	`echo $((1+2*3)) $((7/2)) $((7%3)) $(( (1+2)*3 )) $((x=4, x+1))`,
	`i=0; ((i++)); ((i+=2)); echo $i`,
	`echo $(echo a; echo b) "$(printf 'x\n\n')"`,
	"echo `echo a \\`echo b\\``",
	"cat <<E\na $((1+1)) \\$x \"q\" $(echo z)\nE", "cat <<'E'\na $x\nE", "cat <<-E\n\ta\n\tE",
	`cat <<< "a  b"`, `read a b <<< "1 2 3"; echo "$b/$a"`, `IFS=: read -r a b <<< "x:y"; echo $a-$b`,
	`printf '%s-%d|' a 1 b 2; echo`, `printf '%b' 'a\tb\n'`, `printf '\x41\102\n'`, `echo -e 'a\tb\\c'`, `echo -n a; echo b`,
	`f() { echo "$1"; local x=in; echo $x; }; x=out; f a b; echo $x`,
	`f() { return 1; }; f || echo no`, `f() { x=1; }; f; echo $x`,
	`x=a; (x=b; echo $x); echo $x`, `x=a; { x=b; }; echo $x`, `x=a; echo $x | cat`,
	`eval 'x=1; echo $x'; eval echo '$x'`,
	"alias a='echo hi'; shopt -s expand_aliases\na there",
	`case abc in a*) echo yes;; esac`,
	`cd /usr; pwd; cd ..; pwd; cd /usr/bin/../lib; pwd`, `pushd /usr >/dev/null; pwd; popd >/dev/null`,
	`echo ~ ~/x "~" a~ x=~/y`, `x=~/a:~/b; echo $x`,
	`echo L3RtcA== | base64 -d; echo`, `echo abc | tr a-c x-z`, `echo abc | tr -d b`, `printf 'b\na\n' | cat`, `echo a/b | sed s/b/c/`,
	`basename /a/b/c; dirname /a/b/c; dirname x; basename /a/`, `seq 3`,
	`x="a b"; for i in $x; do echo "<$i>"; done`, `x="a b"; for i in "$x"; do echo "<$i>"; done`,
	`IFS=,; x=a,b; for i in $x; do echo "<$i>"; done`, `x='*'; echo "$x"`,
	`echo 'it'\''s' "say \"hi\" \$x \\"`, "echo a\\ b c\\\nd", `x=$'a\nb'; echo "$x"`,
	`x=(a b); x+=(c); echo ${x[@]}`, `s=a; s+=b; echo $s`, `echo ${x:=q}$x`, `y=${x:-${z:-deep}}; echo $y`,
	`mapfile -t a <<< $'p\nq'; echo ${a[1]}`, `echo "${PWD##*/}" > /dev/null`, `exec 3<<< hi; cat <&3`, `. <(echo 'v=9'); echo $v`,
	`bash -c 'echo $0 $1' a b`, `sh -c "echo \$HOME"`, `x=3; echo $x$((x*2))`, `a=1 b=2; echo $a$b`, `A=1 bash -c 'echo $A'`, `export Q=7; bash -c 'echo $Q'`,
	`unset HOME; echo "[${HOME-gone}]"`, `! true; echo x`, `true & echo bg`, `x=a.b.c; IFS=.; set -- $x; echo $2`, `printf '%s\n' "${x[@]-none}"`,
}

// TestExpansionsLikeBash compares with the real shell.
func TestExpansionsLikeBash(t *testing.T) {
	bash := needBash(t)
	dir := t.TempDir()
	for _, command := range expansions {
		run := exec.Command(bash, "-c", command)
		run.Dir = dir
		run.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=/home/dev", "USER=dev", "TMPDIR=/wt/tmp"}
		want, err := run.Output()
		if err != nil && len(want) == 0 {
			t.Errorf("bash -c %q: %v", command, err)
			continue
		}
		if got, rep := printed(command, dir); got != string(want) {
			t.Errorf("%s\nbash:  %q\nlane:  %q %v", command, want, Show(got), rep.Findings)
		}
	}
}

// writes are run for real in a directory of the test's own; what appears or
// disappears there must be among the effects.
var writes = []string{
	`touch a; mkdir -p b/c; cp a b/c; mv a d; ln -s b l; touch l/e; rm d`,
	`cd b && touch ../x && cd - && touch y`, `(cd b; touch p); touch q`,
	`for i in 1 2 3; do touch f$i; done; rm f{1,2}`,
	`x=b; touch $x/v "${x}/w y"; y="b/z z"; touch "$y"`,
	`echo hi > r1 >> r2; echo x &> r3; exec 5> r4; echo y >&5`,
	`printf '%s\n' m n | while read -r f; do touch "b/$f"; done`,
	`echo o1 o2 | xargs touch; echo b/o3 | xargs -I{} cp keep {}`,
	`find b -name in -exec cp {} found \;`, `find . -name '*.del' -delete`,
	`bash -c 'touch "$1"' _ arg; sh -c 'cd b; touch s'`, `f() { touch "$1/fn"; }; f b`,
	"cat > s.sh <<'E'\ntouch \"$1\" b/script\nE\nsh s.sh given",
	`tee t1 t2 < keep > t3`, `dd if=keep of=b/dd 2>/dev/null`, `tar cf a.tar keep && mkdir u && tar xf a.tar -C u`, `install -D keep i/j/k`,
	`split -b 1 keep b/part.`, `sort -o sorted keep`, `eval "touch $(printf ev%s al)"`, `a=(p1 "p 2"); touch "${a[@]}"`,
	`touch ${x:-dflt}; : ${y:=asg}; touch $y`, `if true; then d=b; else d=.; fi; touch $d/if`, `[ -d nowhere ] || touch or; [ -d b ] && touch and`,
	`case b in b) touch case;; esac; until touch until; do :; done`, `ln keep hard; cp -r b bb; mv bb cc`,
	`mkdir -p n1/{a,b}/c; touch n1/a/c/leaf`, `cd b; cd ..; cd ./b/../b; touch deep`, `ln -s b/c lc; touch lc/in`,
	`pushd b >/dev/null; touch pd; popd >/dev/null; touch pp`, `awk 'BEGIN{print "x" > "awk1"; print "y" >> ("b/" "awk2")}'`,
	`truncate -s 1 tr; mkfifo ff; rmdir empty`,
	`python3 -c "open('py1','w'); import os; os.makedirs('py2/x'); os.rename('keep','py3')"`,
	`perl -e 'open(F,">pl1"); mkdir "pl2"; rename "keep","pl3"'`,
	"python3 - <<'E'\nfrom pathlib import Path\nd = Path('b')\nfor n in ('k1', 'k2'):\n    (d / n).write_text('x')\nE",
	`cp keep{,.bak}; mv keep.bak b/`, `trap 'touch trapped' EXIT; true`, `exec 3<<< 'touch fd3'; . /dev/fd/3`, `touch a.txt; gzip a.txt`, `sed -i.orig s/a/b/ keep`,
}

// TestEffectsCoverWhatHappens runs commands and looks for changes that no
// effect names.
func TestEffectsCoverWhatHappens(t *testing.T) {
	bash := needBash(t)
	for _, command := range writes {
		dir := prepared(t)
		before := tree(t, dir)
		run := exec.Command(bash, "-c", command)
		run.Dir = dir
		run.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + dir}
		if out, err := run.CombinedOutput(); err != nil && strings.Contains(string(out), "not found") {
			continue // a tool this machine lacks
		}
		rep := Analyze(Request{Command: command, Dir: dir, Vars: map[string]string{"HOME": dir, "TMPDIR": dir}, Worktree: dir})
		after := tree(t, dir)
		for name := range after {
			if !before[name] && !covered(rep, dir, name) {
				t.Errorf("%s\n  made %s, which no effect names: %q", command, name, effectsOf(rep))
			}
		}
		for name := range before {
			if !after[name] && !covered(rep, dir, name) {
				t.Errorf("%s\n  removed %s, which no effect names: %q", command, name, effectsOf(rep))
			}
		}
	}
}

// prepared is a directory with a few files.
func prepared(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"b/c/x", "b/in", "keep", "one.del"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte("ab\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func tree(t *testing.T, dir string) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	err := filepath.WalkDir(dir, func(p string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, p)
		out[rel] = true
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// covered reports whether an effect names the path, a directory above it
// other than the test's own, or something below it (mkdir -p).
func covered(rep Report, dir, name string) bool {
	p := filepath.Join(dir, name)
	for _, e := range rep.Effects {
		if e.Op == Read || e.Op == Use {
			continue
		}
		at := fold(e.Path)
		for _, l := range rep.Links {
			if rest, ok := strings.CutPrefix(at, l.Path+"/"); ok {
				at = filepath.Join(filepath.Dir(l.Path), l.Target) + "/" + rest
			}
		}
		fixed := strings.TrimSuffix(Fixed(at), "/")
		switch {
		case fixed == p, strings.HasPrefix(fixed, p+"/"):
			return true
		case strings.HasPrefix(p, fixed+"/") && (fixed != dir || HasHole(at)):
			return true
		case strings.HasPrefix(p, fixed) && fixed != dir && filepath.Dir(fixed) == filepath.Dir(p): // x.gz beside x
			return true
		}
	}
	return false
}

func effectsOf(rep Report) []string {
	var out []string
	for _, e := range rep.Effects {
		out = append(out, e.By+" "+e.Op.Verb()+" "+Show(e.Path))
	}
	return slices.Compact(out)
}
