//go:build race

package attack_test

const raced = true
