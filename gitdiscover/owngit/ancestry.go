package owngit

import (
	"container/heap"

	"github.com/go-git/go-git/v5/plumbing"
)

// descends says whether base is tip or an ancestor of it. Commits are looked
// at newest first, and none behind the base's date but for a margin, as clocks
// differ: where a clock was further off than that the answer is no, and nothing
// is taken in.
func (o *objects) descends(tip, base plumbing.Hash) (bool, error) {
	if tip == base {
		return true, nil
	}
	b, err := o.commit(base)
	if err != nil {
		return false, err
	}
	const margin = 7 * 24 * 60 * 60
	seen := map[plumbing.Hash]bool{tip: true}
	q := &commitQueue{}
	add := func(h plumbing.Hash) error {
		c, err := o.commit(h)
		if err == nil {
			heap.Push(q, queued{h, c})
		}
		return err
	}
	if err := add(tip); err != nil {
		return false, err
	}
	for n := 0; q.Len() > 0; n++ {
		if n > o.m.limits.Walk {
			return false, refuse(TooLarge, "", "the base is not among the last %d commits", o.m.limits.Walk)
		}
		for _, p := range heap.Pop(q).(queued).commit.parents {
			if p == base {
				return true, nil
			}
			if seen[p] {
				continue
			}
			seen[p] = true
			// A parent may be missing where the repository is shallow.
			shared, err := o.isShared(p, plumbing.CommitObject)
			if err != nil {
				return false, err
			}
			if _, known := o.commits[p]; !shared && !known {
				continue
			}
			if c, err := o.commit(p); err != nil {
				return false, err
			} else if c.date < b.date-margin {
				continue
			}
			if err := add(p); err != nil {
				return false, err
			}
		}
	}
	return false, nil
}

type queued struct {
	hash   plumbing.Hash
	commit *commit
}

// commitQueue is a heap, the newest commit first.
type commitQueue []queued

func (q commitQueue) Len() int           { return len(q) }
func (q commitQueue) Less(i, j int) bool { return q[i].commit.date > q[j].commit.date }
func (q commitQueue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *commitQueue) Push(x any)        { *q = append(*q, x.(queued)) }
func (q *commitQueue) Pop() any {
	old := *q
	x := old[len(old)-1]
	*q = old[:len(old)-1]
	return x
}
