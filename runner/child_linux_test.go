package runner

import (
	"errors"
	"os"
	"testing"
	"time"

	"lane/sandbox/confine"
)

// Whether the layer's process is gone before lane begins to wait or after, what
// outlived it inside and holds the other end does not hold lane up.
func TestNoReportIsWaitedForWithoutTheLayer(t *testing.T) {
	for _, before := range []bool{true, false} {
		inside, mine, err := reportPair()
		if err != nil {
			t.Fatal(err)
		}
		defer inside.Close()
		c := &child{reports: mine, waited: make(chan struct{})}
		began := time.Now()
		if before {
			close(c.waited)
		}
		c.boundReports()
		if !before {
			close(c.waited)
		}
		_, err = confine.ReadReport(c.reports)
		if !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(began) > proveTimeout/2 {
			t.Errorf("gone before %v: %v after %v", before, err, time.Since(began))
		}
		c.reports.Close()
	}
}
