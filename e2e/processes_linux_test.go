package e2e

import (
	"bytes"
	"os"
	"strconv"
	"strings"
)

// process is one of the host's, as /proc shows it.
type process struct {
	pid, ppid int
	state     string
	argv      []string
	environ   string
}

// processes lists all but zombies. What vanishes meanwhile is left out.
func processes() []process {
	dirs, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var list []process
	for _, d := range dirs {
		pid, err := strconv.Atoi(d.Name())
		if err != nil {
			continue
		}
		stat, err := os.ReadFile("/proc/" + d.Name() + "/stat")
		i := bytes.LastIndexByte(stat, ')')
		if err != nil || i < 0 {
			continue
		}
		fields := strings.Fields(string(stat[i+1:]))
		if len(fields) < 2 || fields[0] == "Z" {
			continue
		}
		p := process{pid: pid, state: fields[0]}
		p.ppid, _ = strconv.Atoi(fields[1])
		if line, err := os.ReadFile("/proc/" + d.Name() + "/cmdline"); err == nil && len(line) > 0 {
			p.argv = strings.Split(strings.TrimSuffix(string(line), "\x00"), "\x00")
		}
		if env, err := os.ReadFile("/proc/" + d.Name() + "/environ"); err == nil {
			p.environ = string(env)
		}
		list = append(list, p)
	}
	return list
}
