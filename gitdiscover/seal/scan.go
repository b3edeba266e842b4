package seal

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"time"

	"lane/gitdiscover"
)

// Caps bound one look through a worktree, which an agent may have filled as it
// liked. What hits one is incomplete, never clean.
type Caps struct {
	Entries int           // names in all directories
	Bytes   int64         // read of files
	Depth   int           // directories in each other; each holds a descriptor
	Time    time.Duration //
}

// DefaultCaps let a worktree of a million files through.
func DefaultCaps() Caps {
	return Caps{Entries: 2_000_000, Bytes: 1 << 30, Depth: 500, Time: 60 * time.Second}
}

func (c Caps) orDefault() Caps {
	d := DefaultCaps()
	if c.Entries == 0 {
		c.Entries = d.Entries
	}
	if c.Bytes == 0 {
		c.Bytes = d.Bytes
	}
	if c.Depth == 0 {
		c.Depth = d.Depth
	}
	if c.Time == 0 {
		c.Time = d.Time
	}
	return c
}

// scan is one bounded walk through a worktree. It goes from directory to
// directory by descriptor, so that no path is ever too long and no link is
// ever followed.
type scan struct {
	ctx        context.Context
	caps       Caps
	end        time.Time
	skip       map[string]bool // absolute paths
	top        string
	entries    int
	bytes      int64
	stopped    bool // a cap was hit that ends the walk
	incomplete []string
}

func newScan(ctx context.Context, caps Caps, repo gitdiscover.Repo, skip []string) scan {
	caps = caps.orDefault()
	s := scan{ctx: ctx, caps: caps, end: time.Now().Add(caps.Time), skip: map[string]bool{}, top: repo.Worktree}
	for _, p := range slices.Concat(skip, repo.Others, []string{repo.GitDir, repo.CommonDir}) {
		if p != "" && p != repo.Worktree {
			s.skip[p] = true
		}
	}
	return s
}

const maxIncomplete = 20

func (s *scan) miss(format string, args ...any) {
	if len(s.incomplete) < maxIncomplete {
		s.incomplete = append(s.incomplete, fmt.Sprintf(format, args...))
	}
}

// stop ends the walk; the reason is told once.
func (s *scan) stop(format string, args ...any) {
	if !s.stopped {
		s.stopped = true
		s.miss(format, args...)
	}
}

// list calls each with the entries of a directory, in batches as they come:
// a directory may hold a million. It is false when not all were seen.
func (s *scan) list(d *folder, name, rel string, depth int, each func(in *folder, e fs.DirEntry)) bool {
	if depth > s.caps.Depth {
		s.miss("%s is more than %d directories deep", Name(shortened(rel)), s.caps.Depth)
		return false
	}
	f, err := d.list(name, false)
	if err != nil {
		if !isGone(err) {
			s.miss("%s cannot be read: %s", Name(shortened(rel)), closedMark(err).why)
		}
		return isGone(err)
	}
	defer f.Close()
	in := &folder{int(f.Fd()), path.Join(d.path, name), false}
	return s.batches(f, in, rel, each)
}

func (s *scan) batches(f *os.File, in *folder, rel string, each func(in *folder, e fs.DirEntry)) bool {
	for {
		batch, err := f.ReadDir(1024)
		for _, e := range batch {
			if s.entries++; s.entries > s.caps.Entries {
				s.stop("more than %d entries", s.caps.Entries)
			}
			if s.stopped {
				return false
			}
			each(in, e)
		}
		switch {
		case s.ctx.Err() != nil:
			s.stop("%s", s.ctx.Err().Error())
		case time.Now().After(s.end):
			s.stop("more than %v", s.caps.Time)
		}
		if s.stopped {
			return false
		}
		if err == io.EOF {
			return true
		}
		if err != nil {
			s.miss("%s cannot be read: %s", Name(shortened(rel)), closedMark(err).why)
			return false
		}
	}
}

// shortened is a path that may be longer than anyone wants to read.
func shortened(rel string) string {
	if rel == "" {
		return "."
	}
	if len(rel) > maxText {
		return rel[:maxText] + "…"
	}
	return rel
}

// take takes n bytes from what may be read. It is false when there are not so
// many left; the walk goes on without reading then.
func (s *scan) take(n int64) bool {
	if n > s.caps.Bytes-s.bytes {
		return false
	}
	s.bytes += n
	return true
}

// childPath joins a path relative to the worktree with a name in it.
func childPath(rel, name string) string {
	if rel == "" {
		return name
	}
	return rel + "/" + name
}
