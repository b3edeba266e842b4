package runner

import (
	"bytes"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// shown is what comes out, the end of the output included.
func shown(in string) (string, *screen) {
	s := &screen{}
	return string(s.finish(s.feed(nil, []byte(in)))), s
}

func TestScreenPasses(t *testing.T) {
	for name, in := range map[string]string{
		"text and colours":       "a\x1b[1;31mb\x1b[38:2::255:0:0mc\x1b[0m\r\n",
		"characters of UTF-8":    "é ✜ 𐀛 \u00a0 日本語",
		"cursor and erasing":     "\x1b[2J\x1b[H\x1b[12;40H\x1b[K\x1b7\x1b8\x1bM",
		"questions with numbers": "\x1b[6n\x1b[c\x1b[>c\x1b[>q\x1b[?2026$p\x1b[?u\x1b[14t\x1b[18t",
		"modes":                  "\x1b[?1049h\x1b[?1000;1006h\x1b[?2004h\x1b[?25l",
		"titles":                 "\x1b]0;make: test\a\x1b]2;büro\x1b\\",
		"colours":                "\x1b]4;1;rgb:ff/00/00\a\x1b]11;#000000\x1b\\\x1b]104\a",
		"links to the web":       "\x1b]8;;https://example.com/\x1b\\x\x1b]8;;\x1b\\",
		"line drawing":           "\x1b(0lqk\x1b(B\x0e\x0f",
		"a picture":              "\x1bP0;1;0q\"1;1;2;2#0;2;0;0;0~~-\x1b\\",
		"prompt marks":           "\x1b]133;A\a$ ",
		"control inside one":     "\x1b[2\n0G",
	} {
		want := in
		if name == "control inside one" {
			want = "\n\x1b[20G" // a terminal obeys it first, too
		}
		if got, _ := shown(in); got != want {
			t.Errorf("%s: %q came out as %q", name, in, got)
		}
	}
}

// Each is swallowed whole, and the text after it stands.
func TestScreenSwallows(t *testing.T) {
	for name, in := range map[string]string{
		"writing the clipboard":            "\x1b]52;c;Y3VybCBldmlsfHNo\a",
		"writing it, other end":            "\x1b]52;c;Y3VybCBldmlsfHNo\x1b\\",
		"writing it, number with zeros":    "\x1b]052;c;Y3VybA==\a",
		"reading the clipboard":            "\x1b]52;c;?\a",
		"kitty's clipboard":                "\x1b]5522;type=read;text\a",
		"iTerm's clipboard and files":      "\x1b]1337;Copy=:ZXZpbA==\a",
		"title typed on the input":         "\x1b[21t",
		"icon's title":                     "\x1b[20t",
		"moving the window":                "\x1b[3;0;0t",
		"settings typed on the input":      "\x1bP$qm\x1b\\",
		"capabilities":                     "\x1bP+q544e\x1b\\",
		"setting capabilities":             "\x1bP+p6b31=72\x1b\\",
		"programmable keys":                "\x1bP0;1|17/726d0d\x1b\\",
		"colour of the palette, asked":     "\x1b]4;1;?\a",
		"second one of two, asked":         "\x1b]4;1;red;2;?\a",
		"colour of text, asked":            "\x1b]10;?\x1b\\",
		"checksum of the screen":           "\x1b[1;1;1;1;10;10*y",
		"printer":                          "\x1b[5i",
		"VT52":                             "\x1b[?2l",
		"VT52 among others":                "\x1b[?25;2l",
		"console switch":                   "\x1b[12;3]",
		"leaving UTF-8":                    "\x1b%@",
		"eight-bit answers":                "\x1b G",
		"a file by kitty's pictures":       "\x1b_Ga=T,t=f;L2V0Yy9wYXNzd2Q=\x1b\\",
		"privacy message":                  "\x1b^x\x1b\\",
		"tmux passthrough":                 "\x1bPtmux;\x1b\x1b]52;c;ZQ==\a\x1b\\",
		"title of tmux":                    "\x1bkx\x1b\\",
		"answerback":                       "\x05",
		"link to a program":                "\x1b]8;;file:///x.desktop\x1b\\",
		"desktop message":                  "\x1b]777;notify;a;b\a",
		"working directory":                "\x1b]7;file:///evil\a",
		"C1 in a title":                    "\x1b]0;a\u009d52;c;ZQ==\a",
		"raw C1 in a title":                "\x1b]0;a\x9cb\a",
		"restoring modes":                  "\x1b[?1000r",
		"popping the user's keyboard mode": "\x1b[<u",
		"locking the keyboard":             "\x1b[2h",
		"malformed":                        "\x1b[6 5n",
		"marker in the middle":             "\x1b[1?6n",
	} {
		// tmux's string ends at the first ESC that does not begin ST, and
		// what follows is judged on its own.
		if got, _ := shown("a" + in + "b"); got != "ab" {
			t.Errorf("%s: %q came out as %q", name, in, got)
		}
	}
}

func TestScreenMakesC1Visible(t *testing.T) {
	for _, in := range []string{"\x9b6n", "\u009b6n", "\x9d52;c;ZQ==", "\u009d52;c;ZQ==", "\xe0\x80\x9b6n"} {
		got, _ := shown(in)
		if hasC1(got) || !strings.Contains(got, replacement) {
			t.Errorf("%q came out as %q", in, got)
		}
	}
}

// A sequence that is not complete never reaches the terminal, and what is
// held back is bounded.
func TestScreenHoldsBack(t *testing.T) {
	for _, in := range []string{"\x1b", "\x1b[", "\x1b[?1000", "\x1b]0;x", "\x1bP$q", "\x1b(", "\xc2"} {
		if got, _ := shown("a" + in); got != "a" {
			t.Errorf("%q came out as %q", in, got)
		}
	}
	s := &screen{}
	for _, head := range []string{"\x1b]0;", "\x1b[", "\x1bP", "\x1b_", "\x1b "} {
		s.feed(nil, []byte(head))
		for range 1000 {
			s.feed(nil, bytes.Repeat([]byte("1"), 1000))
		}
		if cap(s.seq) > 4*maxCommand {
			t.Errorf("%q: %d bytes are held", head, cap(s.seq))
		}
		s.finish(nil)
	}
	for i := range 10_000 {
		s.feed(nil, []byte("\x1b[?"+strings.Repeat("1", i%5+1)+"h\x1b[>1u\x1b]1"+string(rune('0'+i%10))+";red\a"))
	}
	if n := len(s.set.private) + len(s.set.keyboard[0]) + len(s.set.colours); n > 3*maxModes {
		t.Errorf("%d modes are remembered", n)
	}
}

func TestScreenUndoes(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"nothing set", "text\x1b[6n\x1b[0m", ""},
		{"set and set back", "\x1b[?1000h\x1b[?25l\x1b[?1000l\x1b[?25h\x1b[31m\x1b[m\x1b=\x1b>\x1b(0\x1b(B", ""},
		{"mouse", "\x1b[?1002;1006h", "\x1b[?1002l\x1b[?1006l"},
		{"cursor hidden", "\x1b[?25l", "\x1b[?25h"},
		{"wrapping off", "\x1b[?7l", "\x1b[?7h"},
		{"paste", "\x1b[?2004h", "\x1b[?2004l"},
		{"mouse on the alternate screen", "\x1b[?1049h\x1b[?1000h", "\x1b[?1000l\x1b[?1049l"},
		{"keyboard on both screens", "\x1b[>1u\x1b[?1049h\x1b[>3u\x1b[>5u", "\x1b[<2u\x1b[?1049l\x1b[<1u"},
		{"keyboard popped", "\x1b[>1u\x1b[<u", ""},
		{"attributes", "\x1b[1;31m", "\x1b[0m"},
		{"margins", "\x1b[2;5r", "\x1b7\x1b[r\x1b8"},
		{"line drawing", "\x1b(0\x0e", "\x0f\x1b(B"},
		{"link left open", "\x1b]8;;http://x/\a", "\x1b]8;;\x1b\\"},
		{"shape of the cursor", "\x1b[6 q", "\x1b[0 q"},
		{"background", "\x1b]11;red\a", "\x1b]111\x1b\\"},
		{"background set back", "\x1b]11;red\a\x1b]111\a", ""},
		{"reset by the command", "\x1b[?1000h\x1b[31m\x1bc", ""},
		{"refused ones leave nothing", "\x1b[?2;1000h\x1b[?1001h", ""},
	} {
		_, s := shown(c.in)
		if got := s.set.undo(); got != c.want {
			t.Errorf("%s: %q is undone by %q, want %q", c.name, c.in, got, c.want)
		}
		// What undoes may pass, and leaves nothing to undo.
		after, s2 := shown(c.in + c.want)
		if !strings.HasSuffix(after, c.want) || s2.set.undo() != "" {
			t.Errorf("%s: after %q there is %q left to undo", c.name, c.want, s2.set.undo())
		}
	}
}

func TestScreenSetsAgain(t *testing.T) {
	_, s := shown("\x1b[>1u\x1b[?1049h\x1b[>3u\x1b[?1000h\x1b[?25l\x1b=\x1b[>4;2m")
	again := s.set.again()
	_, s2 := shown(again)
	if s2.set.undo() != s.set.undo() {
		t.Errorf("%q sets what %q undoes, want %q", again, s2.set.undo(), s.set.undo())
	}
}

// hasC1 looks for a C1 control, or anything that is not UTF-8.
func hasC1(s string) bool {
	return !utf8.ValidString(s) || strings.ContainsFunc(s, func(r rune) bool { return 0x80 <= r && r <= 0x9f })
}

// neverShown is what must not come out, written without the parser: the only
// strings that begin are complete and of known numbers.
var neverShown = []*regexp.Regexp{
	regexp.MustCompile(`\x1b\](?:0*52|0*5522|1337|7|50|777|99|633);`),
	regexp.MustCompile(`\x1b\](?:4|1[0-9]);[^\x07\x1b]*\?`),
	regexp.MustCompile(`\x1b\[0*2[01](?:;[0-9;]*)?t`),
	regexp.MustCompile(`\x1bP[0-9;]*[^0-9;q]`),
	regexp.MustCompile(`\x1b[_X^k]`),
	regexp.MustCompile(`\x1b\[[0-9;]*\*y`),
	regexp.MustCompile(`\x1b%@`),
	regexp.MustCompile(`\x05`),
}

func FuzzScreen(f *testing.F) {
	for _, seed := range []string{"\x1b]52;c;ZQ==\a", "\x1b[21t\x1b[?1049h", "\x1bPq~\x1b\x1b]52;c;x\a", "\xc2\x9b6n\xe0\x80\x9b", "\x1bP1;2q~-\x1b\\\x1b]4;1;?\a"} {
		f.Add([]byte(seed), uint64(1))
	}
	f.Fuzz(func(t *testing.T, in []byte, cut uint64) {
		whole := &screen{}
		want := whole.finish(whole.feed(nil, in))
		for _, re := range neverShown {
			if m := re.Find(want); m != nil {
				t.Fatalf("%q came out of %q", m, in)
			}
		}
		if hasC1(string(want)) {
			t.Fatalf("a C1 control came out of %q: %q", in, want)
		}
		// However the output is cut into reads, the same comes out.
		parts := &screen{}
		var got []byte
		random := rand.New(rand.NewPCG(cut, 0))
		for rest := in; len(rest) > 0; {
			n := 1 + random.IntN(min(len(rest), 7))
			got, rest = parts.feed(got, rest[:n]), rest[n:]
		}
		if got = parts.finish(got); !bytes.Equal(got, want) {
			t.Fatalf("%q: whole %q, cut %q", in, want, got)
		}
		if parts.set.undo() != whole.set.undo() {
			t.Fatalf("%q: whole is undone by %q, cut by %q", in, whole.set.undo(), parts.set.undo())
		}
		// What came out passes unchanged.
		second := &screen{}
		if again := second.finish(second.feed(nil, want)); !bytes.Equal(again, want) {
			t.Fatalf("%q passes as %q the second time", want, again)
		}
		undo := whole.set.undo()
		if after := second.feed(nil, []byte(undo)); string(after) != undo || second.set.undo() != "" {
			t.Fatalf("%q: %q passes as %q and leaves %q", in, undo, after, second.set.undo())
		}
	})
}

func BenchmarkScreen(b *testing.B) {
	text := bytes.Repeat([]byte("  \x1b[32mok\x1b[0m   lane/runner  0.123s  [no tests to run]\r\n"), 1000)
	s, out := &screen{}, []byte(nil)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		out = s.feed(out[:0], text)
	}
}
