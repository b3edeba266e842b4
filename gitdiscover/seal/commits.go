package seal

import (
	"container/heap"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
)

const (
	maxCommits = 1000   // listed
	maxVisited = 50_000 // read, to find out which are new
	maxSubject = 200
)

// Commit is one commit of a ledger. Its texts are the author's own, made fit
// to print.
type Commit struct {
	ID      string    `json:"id"`
	Parents []string  `json:"parents"`
	Author  string    `json:"author"`
	Time    time.Time `json:"time"`
	Subject string    `json:"subject"`
}

// commitRange is what is reachable from one commit and not from another.
type commitRange struct {
	commits []Commit
	more    int
	// descends says that the other commit was met on the way.
	descends bool
	// cut says why the list may be wrong at its end.
	cut string
}

// rangeWalk finds the commits that are reachable from tip and not from base,
// newest first: both are followed at once in the order of time, and a commit
// that base reaches takes its ancestors out.
type rangeWalk struct {
	objects *objects
	shallow map[string]bool // commits whose parents are known not to be here
	seen    map[plumbing.Hash]*visit
	queue   visitQueue
	open    int // in the queue and reached from tip alone
	visited int
	oldest  time.Time // of what looks new
	cut     string
}

type visit struct {
	commit    *object.Commit
	tip, base bool // from which it was reached
	queued    bool
	order     int // of being read
}

func (w *rangeWalk) between(ctx context.Context, base, tip string) commitRange {
	w.seen = map[plumbing.Hash]*visit{}
	w.reach(plumbing.NewHash(tip), true, false)
	if base != "" {
		w.reach(plumbing.NewHash(base), false, true)
	}
	for extra := 0; w.cut == "" && (w.open > 0 || w.mayTakeOut(&extra)); {
		switch {
		case ctx.Err() != nil:
			w.cut = ctx.Err().Error()
		case w.visited > maxVisited:
			w.cut = fmt.Sprintf("more than %d commits lie between the two", maxVisited)
		default:
			w.step()
		}
	}
	return w.result(base)
}

const (
	clockSlack = 24 * time.Hour
	maxExtra   = 2000
)

// mayTakeOut says that base's side should be followed on although nothing is
// open: where clocks were wrong, it may yet reach what looks new. git itself
// goes on for five commits only; neither is proof against every clock.
func (w *rangeWalk) mayTakeOut(extra *int) bool {
	if *extra == 0 { // from here on no commit becomes new: the oldest is known
		for _, v := range w.seen {
			if v.tip && !v.base && (w.oldest.IsZero() || v.when().Before(w.oldest)) {
				w.oldest = v.when()
			}
		}
	}
	*extra++
	return !w.oldest.IsZero() && *extra <= maxExtra && len(w.queue) > 0 && w.oldest.Before(w.queue[0].when().Add(clockSlack))
}

func (v *visit) when() time.Time { return v.commit.Committer.When }

// reach notes that a commit was reached from tip or base. One that was passed
// already is queued again if it is only now known that base reaches it.
func (w *rangeWalk) reach(id plumbing.Hash, tip, base bool) {
	v := w.seen[id]
	if v == nil {
		v = &visit{}
		w.seen[id] = v
		c, err := w.objects.commit(id)
		if err != nil {
			if errors.Is(err, plumbing.ErrObjectNotFound) {
				w.cut = fmt.Sprintf("commit %s is not here", id)
			} else {
				w.cut = fmt.Sprintf("commit %s: %s", id, shown(err.Error()))
			}
			return
		}
		w.visited++
		v.commit, v.order = c, w.visited
	}
	if v.commit == nil || (v.tip || !tip) && (v.base || !base) {
		return
	}
	was := v.isOpen()
	v.tip, v.base = v.tip || tip, v.base || base
	if !v.queued {
		v.queued = true
		heap.Push(&w.queue, v)
	}
	switch now := v.isOpen(); {
	case now && !was:
		w.open++
	case was && !now:
		w.open--
	}
}

// isOpen says that a commit still waits and may turn out to be new.
func (v *visit) isOpen() bool { return v.queued && v.tip && !v.base }

func (w *rangeWalk) step() {
	v := heap.Pop(&w.queue).(*visit)
	if v.isOpen() {
		w.open--
	}
	v.queued = false
	if w.shallow[v.commit.Hash.String()] {
		return
	}
	for _, p := range v.commit.ParentHashes {
		w.reach(p, v.tip, v.base)
	}
}

func (w *rangeWalk) result(base string) commitRange {
	r := commitRange{cut: w.cut}
	var l []*visit
	for _, v := range w.seen {
		if v.commit != nil && v.tip && !v.base {
			l = append(l, v)
		}
	}
	slices.SortFunc(l, func(a, b *visit) int {
		if c := b.when().Compare(a.when()); c != 0 {
			return c
		}
		return a.order - b.order
	})
	for _, v := range l {
		if len(r.commits) == maxCommits {
			r.more = len(l) - maxCommits
			break
		}
		r.commits = append(r.commits, commitOf(v.commit))
	}
	b := w.seen[plumbing.NewHash(base)]
	r.descends = base == "" || b != nil && b.tip
	return r
}

func commitOf(c *object.Commit) Commit {
	parents := []string{}
	for _, p := range c.ParentHashes {
		parents = append(parents, p.String())
	}
	subject, _, _ := strings.Cut(strings.TrimLeft(c.Message, "\n"), "\n")
	return Commit{ID: c.Hash.String(), Parents: parents, Author: clean(c.Author.Name + " <" + c.Author.Email + ">"), Time: c.Author.When.UTC(), Subject: clean(subject)}
}

// clean makes a text of somebody's fit to print, and short; control characters
// are dropped, since quotes round every name would be noise.
func clean(s string) string {
	s = strings.Map(func(r rune) rune {
		if !isPlain(string(r)) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	if len(s) > maxSubject {
		s = strings.ToValidUTF8(s[:maxSubject], "") + "…"
	}
	return s
}

// visitQueue has the newest commit on top.
type visitQueue []*visit

func (q visitQueue) Len() int           { return len(q) }
func (q visitQueue) Less(i, j int) bool { return q[i].when().After(q[j].when()) }
func (q visitQueue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *visitQueue) Push(x any)        { *q = append(*q, x.(*visit)) }
func (q *visitQueue) Pop() any {
	old := *q
	v := old[len(old)-1]
	*q = old[:len(old)-1]
	return v
}
