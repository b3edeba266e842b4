//go:build !race

package hookguard

// slowdown is what the race detector costs: it is off.
const slowdown = 1
