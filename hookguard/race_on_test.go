//go:build race

package hookguard

// slowdown is what the race detector costs, roughly.
const slowdown = 20
