package cmd

import (
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"lane/runner"
)

// limitFlags are the limits of the whole process tree.
type limitFlags struct {
	memory, fileSize string
	takeIn           string
	procs            int64
	cpu              time.Duration
}

func (l *limitFlags) register(fl *pflag.FlagSet) {
	fl.StringVar(&l.memory, "max-memory", "", "memory, e.g. 4G")
	fl.StringVar(&l.fileSize, "max-file-size", "", "size of any one file, e.g. 1G")
	fl.StringVar(&l.takeIn, "max-take-in", "", "size of all new objects together that are taken in (default 2G)")
	fl.Int64Var(&l.procs, "max-procs", 0, "processes and threads")
	fl.DurationVar(&l.cpu, "cpu-time", 0, "processor time, e.g. 10m")
}

func (l *limitFlags) apply(req *runner.Request) error {
	var err error
	if req.Limits.Memory, err = parseSize("--max-memory", l.memory); err != nil {
		return err
	}
	if req.Limits.FileSize, err = parseSize("--max-file-size", l.fileSize); err != nil {
		return err
	}
	if req.MaxTakeIn, err = parseSize("--max-take-in", l.takeIn); err != nil {
		return err
	}
	if l.cpu > 0 && l.cpu < time.Second {
		return &runner.UsageError{Reason: "limit", Detail: "--cpu-time is at least 1s"}
	}
	req.Limits.Procs, req.Limits.CPUTime = l.procs, int64(l.cpu/time.Second)
	return nil
}

// parseSize takes bytes, with K, M, G or T for powers of 1024.
func parseSize(flag, s string) (int64, error) {
	if s == "" {
		return 0, nil
	}
	bad := &runner.UsageError{Reason: "limit", Detail: flag + " takes a size such as 512M or 4G, not " + strconv.Quote(s)}
	shift := strings.IndexByte("KMGT", s[len(s)-1])
	digits := s
	if shift >= 0 {
		digits = s[:len(s)-1]
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n <= 0 || shift >= 0 && n > 1<<22 {
		return 0, bad
	}
	return n << (10 * (shift + 1)), nil
}
