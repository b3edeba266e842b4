package runner

import (
	"time"

	"lane/sandbox"
	"lane/sandbox/confine"
)

// What binds the limits that were asked for.
const (
	byCgroup = "cgroup" // memory and processes of the lane as a whole
	byRlimit = "rlimit" // of each process
)

// GroupPlan is the cgroup of a lane.
type GroupPlan struct {
	In     confine.Delegation `json:"in"`
	Limits sandbox.Limits     `json:"limits"`
}

// planLimits takes memory and processes out of what the layer enforces by
// rlimits where a cgroup binds them for the lane as a whole. The size of files
// and the processor time stay: no cgroup bounds those.
func planLimits(p *Plan, req Request, h Host) {
	l := req.Limits
	if l == (sandbox.Limits{}) {
		return
	}
	p.LimitsBy = byRlimit
	group := sandbox.Limits{Memory: l.Memory, Procs: l.Procs}
	switch {
	case group == (sandbox.Limits{}):
		return
	case !h.Cgroup.Can(group):
		if h.inPlace() && l.Procs > 0 {
			p.Warnings = append(p.Warnings, "--max-procs counts all processes of this user, since no cgroup of lane's own can be made here")
		}
		return
	}
	p.LimitsBy, p.Cgroup = byCgroup, &GroupPlan{In: h.Cgroup, Limits: group}
	p.Policy.Limits.Memory, p.Policy.Limits.Procs = 0, 0
}

// makeGroup makes the lane's cgroup, nil where the plan has none.
func makeGroup(p Plan) (*confine.Group, error) {
	if p.Cgroup == nil {
		return nil, nil
	}
	g, err := confine.MakeGroup(p.Cgroup.In, p.Run, p.Cgroup.Limits)
	if err != nil {
		return nil, &Refusal{Reason: "cgroup", Path: p.Cgroup.In.Dir, Detail: err.Error(), Hint: "start again; if it stays, leave out --max-memory and --max-procs"}
	}
	return g, nil
}

// groupEnd is how long the kernel may take to let a killed cgroup go.
const groupEnd = 2 * time.Second

// endGroup ends what is left in the cgroup, once the layer's process has gone,
// and removes it.
func (c *child) endGroup() {
	if c.group == nil {
		return
	}
	c.reached = c.group.Reached()
	if err := c.group.Remove(groupEnd); err != nil {
		c.reached = append(c.reached, "the lane's cgroup is left: "+err.Error())
	}
}
