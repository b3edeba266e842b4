package confine

import "lane/sandbox"

// limitGaps: each limit is an rlimit of the child and so counts per process,
// not for the lane as a whole; as root RLIMIT_NPROC binds nothing, since the
// kernel exempts the host's uid 0 from it whatever its user namespace.
func limitGaps(l sandbox.Limits, root bool) []sandbox.Gap {
	var gaps []sandbox.Gap
	add := func(name, detail string) {
		gaps = append(gaps, sandbox.Gap{Name: name, Detail: detail})
	}
	if l.Memory > 0 {
		add("memory-per-process", "the memory limit binds each process (RLIMIT_DATA), not the lane as a whole")
	}
	if l.CPUTime > 0 {
		add("cpu-per-process", "the cpu limit binds each process (RLIMIT_CPU), not the lane as a whole")
	}
	if l.Procs > 0 && root {
		add("procs-as-root", "the kernel exempts root from the limit on processes (RLIMIT_NPROC)")
	}
	return gaps
}
