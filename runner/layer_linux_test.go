package runner

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"lane/gitdiscover"
	"lane/sandbox"
	"lane/sandbox/confine"
)

// What the landlock layer cannot confine is refused by its word, whatever was
// accepted.
func TestLandlockRefuses(t *testing.T) {
	for _, c := range []struct {
		reason string
		repo   gitdiscover.Repo
		change func(*Request)
	}{
		{"git-inside", mainRepo(), func(*Request) {}},
		{"git-own-layer", linkedRepo(), func(r *Request) { r.Git = gitOwn }},
	} {
		h := onLandlock(host(1001))
		h.Tree.Repositories, h.Wiring = nil, nil
		req := request()
		req.Accept = []string{"protect-inside", "metadata", "orphans", "host-processes-visible", "agent-credentials"}
		c.change(&req)
		_, err := Build(req, c.repo, claude(t), h)
		var r *Refusal
		if !errors.As(err, &r) || r.Reason != c.reason || r.Hint == "" {
			t.Errorf("%s: got %v", c.reason, err)
		}
	}
}

// Where bubblewrap is refused, the hint names the other layer and every gap
// that it would take; the other layer is never taken by itself.
func TestRefusalOffersTheOtherLayer(t *testing.T) {
	h := host(1001)
	h.Layer = confine.Probe{Layer: "bwrap", Reason: "userns-refused", Detail: "no", Hint: "allow user namespaces"}
	h.OtherLayers = []confine.Probe{onLandlock(h).Layer}
	_, err := Build(request(), linkedRepo(), claude(t), h)
	var r *Refusal
	if !errors.As(err, &r) || r.Reason != "userns-refused" {
		t.Fatalf("got %v", err)
	}
	for _, want := range []string{"allow user namespaces", "--layer landlock", "--accept agent-credentials", "--accept protect-inside",
		"--accept metadata", "--accept orphans", "--accept host-processes-visible"} {
		if !strings.Contains(r.Hint, want) {
			t.Errorf("no %q in %q", want, r.Hint)
		}
	}
	h.OtherLayers[0].OK = false
	if _, err = Build(request(), linkedRepo(), claude(t), h); !errors.As(err, &r) || strings.Contains(r.Hint, "landlock") {
		t.Errorf("offers a layer that does not work: %v", err)
	}
}

// The plan says what binds the limits, and only what nothing binds for the
// lane as a whole is a gap.
func TestLimitsBy(t *testing.T) {
	delegated := confine.Delegation{Dir: "/sys/fs/cgroup/x", Controllers: []string{"memory", "pids"}}
	all := sandbox.Limits{Memory: 1 << 30, Procs: 100, FileSize: 1 << 20, CPUTime: 60}
	for _, c := range []struct {
		name   string
		limits sandbox.Limits
		cgroup confine.Delegation
		by     string
		gaps   []string
	}{
		{"none", sandbox.Limits{}, delegated, "", nil},
		{"all in a cgroup", all, delegated, byCgroup, []string{"cpu-per-process"}},
		{"no cgroup", all, confine.Delegation{Why: "no"}, byRlimit, []string{"memory-per-process", "cpu-per-process"}},
		{"a controller is missing", all, confine.Delegation{Dir: "/x", Controllers: []string{"pids"}}, byRlimit, []string{"memory-per-process", "cpu-per-process"}},
		{"no cgroup's matter", sandbox.Limits{FileSize: 1}, delegated, byRlimit, nil},
	} {
		h := host(1001)
		h.Cgroup = c.cgroup
		req := request()
		req.Limits = c.limits
		plan, err := Build(req, linkedRepo(), claude(t), h)
		if err != nil {
			t.Fatal(err)
		}
		var gaps []string
		for _, g := range plan.unaccepted() {
			gaps = append(gaps, g.Name)
		}
		if plan.LimitsBy != c.by || !slices.Equal(gaps, c.gaps) || (plan.Cgroup != nil) != (c.by == byCgroup) {
			t.Errorf("%s: by %q, cgroup %v, gaps %q", c.name, plan.LimitsBy, plan.Cgroup, gaps)
		}
		inGroup := plan.Cgroup != nil && plan.Cgroup.Limits.Memory == c.limits.Memory
		if (plan.Policy.Limits.Memory == c.limits.Memory) == inGroup && c.limits.Memory > 0 {
			t.Errorf("%s: the memory limit is bound twice or not at all", c.name)
		}
	}
}
