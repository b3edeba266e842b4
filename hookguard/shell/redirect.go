package shell

import (
	"bytes"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// redirects opens a statement's files. done stores what was written to a file
// whose content is then known.
func (in *interp) redirects(list []*syntax.Redirect, st *state, io stdio) (_ stdio, done func()) {
	done = func() {}
	for _, r := range list {
		switch r.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			io = in.input(r, in.heredoc(r, st), io)
		case syntax.WordHdoc:
			io = in.input(r, in.single(r.Word, st)+"\n", io)
		case syntax.RdrIn:
			name := in.target(r.Word, st)
			in.effect(Read, name, "redirection <", st)
			io = in.input(r, in.content(name, st), io)
		case syntax.DplIn:
			if fd := in.single(r.Word, st); fd != "-" {
				if text, ok := in.fds[fd]; ok {
					io = in.input(r, text, io)
				}
			}
		case syntax.DplOut:
			// ">&2" and ">&-" name a descriptor, ">&file" a file.
			name := in.target(r.Word, st)
			if !isDescriptor(name) {
				io, done = in.output(r, name, st, io, false)
			} else if fd(r, 1) == "1" && name != "1" {
				io.out = nil
			}
		case syntax.RdrInOut:
			in.effect(Write, in.target(r.Word, st), "redirection "+r.Op.String(), st)
		default: // > >> >| &> &>> and zsh's forms
			io, done = in.output(r, in.target(r.Word, st), st, io, strings.Contains(r.Op.String(), ">>"))
		}
	}
	return io, done
}

// target is the file a redirection names.
func (in *interp) target(w *syntax.Word, st *state) string {
	if fields := in.fieldsOf(w, st); len(fields) > 0 {
		return strings.Join(fields, " ")
	}
	return ""
}

func fd(r *syntax.Redirect, standard int) string {
	if r.N != nil {
		return r.N.Value
	}
	return strconv.Itoa(standard)
}

func isDescriptor(name string) bool {
	name = strings.TrimSuffix(name, "-")
	if name == "" {
		return true
	}
	if Unknown(name) {
		return true
	}
	_, err := strconv.Atoi(name)
	return err == nil
}

// input makes text readable where the redirection says: standard input or
// another descriptor.
func (in *interp) input(r *syntax.Redirect, text string, io stdio) stdio {
	n := fd(r, 0)
	in.fds[n] = text
	if n == "0" {
		io.in = given(text)
	}
	return io
}

func (in *interp) output(r *syntax.Redirect, name string, st *state, io stdio, add bool) (stdio, func()) {
	by := "redirection " + r.Op.String()
	in.effect(Write, name, by, st)
	n := fd(r, 1)
	if n != "1" {
		return io, func() {}
	}
	var b bytes.Buffer
	io.out = &b
	return io, func() {
		old := ""
		if add {
			old = in.content(name, st)
		}
		in.remember(name, old+b.String(), st)
	}
}

// heredoc is the text of a here-document, expanded unless its delimiter is
// quoted.
func (in *interp) heredoc(r *syntax.Redirect, st *state) string {
	if r.Hdoc == nil {
		return ""
	}
	quoted := false
	for _, p := range r.Word.Parts {
		lit, isLit := p.(*syntax.Lit)
		if !isLit || strings.Contains(lit.Value, `\`) {
			quoted = true
		}
	}
	if quoted {
		var b strings.Builder
		for _, p := range r.Hdoc.Parts {
			if lit, ok := p.(*syntax.Lit); ok {
				b.WriteString(lit.Value)
			}
		}
		return b.String()
	}
	text := in.document(r.Hdoc, st)
	if r.Op == syntax.DashHdoc {
		lines := strings.Split(text, "\n")
		for i := range lines {
			lines[i] = strings.TrimLeft(lines[i], "\t")
		}
		text = strings.Join(lines, "\n")
	}
	return text
}

// content is what a file holds, if this call wrote it.
func (in *interp) content(name string, st *state) string {
	if text, ok := in.written(name, st); ok {
		return text
	}
	return holeFile
}

func (in *interp) written(name string, st *state) (string, bool) {
	p := fold(in.abs(name, st))
	for _, prefix := range []string{"/dev/fd/", "/proc/self/fd/"} {
		if n, ok := strings.CutPrefix(p, prefix); ok {
			text, known := in.fds[n]
			return text, known
		}
	}
	text, ok := in.files[p]
	return text, ok
}

// remember keeps what the call writes to a file, so that running the file
// later in the same call runs known text.
func (in *interp) remember(name, text string, st *state) {
	p := fold(in.abs(name, st))
	if name == "" || len(text) > maxText || HasHole(name) && !in.temporary(p) {
		return
	}
	in.files[p] = text
}

// temporary reports whether a path is what mktemp printed: a name that nobody
// knows, in the lane's own directory, or lies in it. It stands for the last one
// made.
func (in *interp) temporary(p string) bool {
	rest, ok := strings.CutPrefix(p, in.req.Vars["TMPDIR"]+"/")
	name, file, _ := strings.Cut(rest, "/")
	return ok && strings.HasSuffix(name, holeSeg) && !HasHole(strings.TrimSuffix(name, holeSeg)) && !HasHole(file)
}
