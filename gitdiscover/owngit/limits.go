package owngit

import (
	"context"
	"errors"
	"time"
)

// Limits bound what a take-in reads, writes and takes.
type Limits struct {
	// Bytes are all new objects together, unpacked (--max-take-in).
	Bytes int64
	// Object is one object, unpacked.
	Object int64
	// Objects is how many are new.
	Objects int
	// Walk is how many of the repository's own commits are looked at to find
	// out whether the lane's commits descend from the base.
	Walk int
	// Refs is how many branches and tags of the agent's are listed or kept.
	Refs int
	// Time is for everything up to the first lock.
	Time time.Duration
	// Wait is how long a lock that somebody else holds is waited for.
	Wait time.Duration
}

// DefaultLimits are for work that a person would look through.
func DefaultLimits() Limits {
	return Limits{
		Bytes: 2 << 30, Object: 512 << 20, Objects: 200_000, Walk: 500_000, Refs: 1000,
		Time: 5 * time.Minute, Wait: 5 * time.Second,
	}
}

const (
	// maxInMemory is the largest object that is not only streamed: a commit,
	// a tree, a tag, and whatever a delta is involved in.
	maxInMemory = 128 << 20
	// maxWork is how many times Bytes may be unpacked in all. A pack can ask
	// for the same base a million times; a pack that git made asks for each
	// byte a few times.
	maxWork = 4
	// maxChain is the longest delta chain that git can make.
	maxChain = 4095
)

// meter counts what has been spent of the limits.
type meter struct {
	ctx    context.Context
	limits Limits
	work   int64
}

// spend accounts for n unpacked bytes of any object.
func (m *meter) spend(n int64) error {
	switch err := m.ctx.Err(); {
	case errors.Is(err, context.DeadlineExceeded):
		return refuse(TooLarge, "", "it took longer than %v", m.limits.Time)
	case err != nil:
		return err
	}
	if m.work += n; m.work > maxWork*m.limits.Bytes+maxInMemory {
		return refuse(TooLarge, "", "unpacking takes more than %d times the %d bytes allowed", maxWork, m.limits.Bytes)
	}
	return nil
}

// admit says whether an object of that size may be taken in at all.
func (m *meter) admit(what string, size int64) error {
	if size < 0 || size > m.limits.Object {
		return refuse(TooLarge, "", "%s is %d bytes, more than the %d allowed for one object", what, size, m.limits.Object)
	}
	return nil
}
