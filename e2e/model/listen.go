package model

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// DefaultIdle is how long a server waits for a request before it ends.
const DefaultIdle = 10 * time.Minute

// Running is a server with a listener of its own.
type Running struct {
	*Server
	// URL is the base URL, http://127.0.0.1:PORT.
	URL string

	http   *http.Server
	cancel context.CancelFunc
	ended  chan struct{}
	last   atomic.Int64 // time of the last request, in Unix nanoseconds
	active atomic.Int64 // requests being answered
}

// Start listens on a free port of 127.0.0.1, never on another address, and
// ends by itself: when ctx does, when nothing was asked for idle (0:
// DefaultIdle), and with the process. Close ends it at once.
func Start(ctx context.Context, script Script, recordDir string, idle time.Duration) (*Running, error) {
	if err := script.check(); err != nil {
		return nil, err
	}
	if idle <= 0 {
		idle = DefaultIdle
	}
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen on loopback: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	r := &Running{Server: NewServer(script, recordDir), URL: "http://" + ln.Addr().String(), cancel: cancel, ended: make(chan struct{})}
	r.last.Store(time.Now().UnixNano())
	r.http = &http.Server{Handler: r, ReadHeaderTimeout: 10 * time.Second}
	go func() {
		defer close(r.ended)
		if err := r.http.Serve(ln); err != nil && !errors.Is(err, http.ErrServerClosed) {
			r.mu.Lock()
			r.errs = append(r.errs, err)
			r.mu.Unlock()
		}
	}()
	go r.watch(ctx, idle)
	return r, nil
}

// ServeHTTP notes that the server is in use.
func (r *Running) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	r.active.Add(1)
	defer func() {
		r.last.Store(time.Now().UnixNano())
		r.active.Add(-1)
	}()
	r.Server.ServeHTTP(w, req)
}

func (r *Running) watch(ctx context.Context, idle time.Duration) {
	tick := time.NewTicker(max(idle/10, time.Millisecond))
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
		case <-tick.C:
			if r.active.Load() > 0 || time.Since(time.Unix(0, r.last.Load())) < idle {
				continue
			}
		}
		r.end()            // lets the handlers that wait return
		_ = r.http.Close() // closes the listener and what is still open
		return
	}
}

// Ended is closed once the server no longer listens.
func (r *Running) Ended() <-chan struct{} { return r.ended }

// Close ends the server and returns the first error of the recording.
func (r *Running) Close() error {
	r.cancel()
	<-r.ended
	return r.Err()
}
