package gate

import (
	"context"
	"errors"
)

// Live says how the gate is run with real models.
type Live struct {
	Models  []string
	Repeat  int     // how often each claim is tried; 0 is once
	MaxCost float64 // US dollars for all of it, 0 for no bound
}

func (b *bench) live(context.Context) error { return errors.ErrUnsupported }
