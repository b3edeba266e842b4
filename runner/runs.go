package runner

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"time"

	"lane/gitdiscover"
)

// Discover resolves the worktree that a request is about.
func Discover(req Request) (gitdiscover.Repo, error) {
	known := gitdiscover.Vouches()
	for _, v := range req.Vouch {
		if !slices.ContainsFunc(known, func(i gitdiscover.VouchInfo) bool { return string(i.Vouch) == v }) {
			var names []string
			for _, i := range known {
				names = append(names, string(i.Vouch))
			}
			return gitdiscover.Repo{}, &UsageError{"vouch", "--vouch takes one of: " + strings.Join(names, ", ")}
		}
	}
	return gitdiscover.DiscoverWith(req.Dir, discoverOptions(req))
}

// RunInfo is one line of the list of runs.
type RunInfo struct {
	Run      string    `json:"run"`
	Writer   string    `json:"writer"`
	Status   Status    `json:"status"`
	Exit     int       `json:"exit"`
	Worktree string    `json:"worktree"`
	Started  time.Time `json:"started"`
	Changed  int       `json:"changed"`
}

// Unfinished is the status of a run without a record: it runs, or was killed.
const Unfinished Status = "unfinished"

const maxRecord = 64 << 20

// Runs lists the runs of this user, newest first.
func Runs() ([]RunInfo, error) {
	home, err := LaneHome()
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(filepath.Join(home, "runs"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, &Refusal{Reason: "lane-home", Path: filepath.Join(home, "runs"), Detail: cause(err), Hint: "look at its owner and permissions"}
	}
	list := []RunInfo{}
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		info := RunInfo{Run: e.Name(), Status: Unfinished}
		if r, err := readRecord(filepath.Join(home, "runs", e.Name())); err == nil {
			info = RunInfo{Run: e.Name(), Writer: r.Writer.Name, Status: r.Status, Exit: r.Exit, Worktree: r.Worktree,
				Started: r.Started, Changed: len(r.Changed) + r.ChangedMore}
		}
		list = append(list, info)
	}
	// Two runs of one second differ in their ids by chance only.
	sort.Slice(list, func(i, j int) bool {
		if a, b := list[i].Started, list[j].Started; !a.IsZero() && !b.IsZero() && !a.Equal(b) {
			return a.After(b)
		}
		return list[i].Run > list[j].Run
	})
	return list, nil
}

// ShowRun returns the record of one run; "last" is the newest that has one.
func ShowRun(id string) (Result, error) {
	home, err := LaneHome()
	if err != nil {
		return Result{}, err
	}
	if id == "last" {
		list, err := Runs()
		if err != nil {
			return Result{}, err
		}
		i := slices.IndexFunc(list, func(r RunInfo) bool { return r.Status != Unfinished })
		if i < 0 {
			return Result{}, &Refusal{Reason: "no-such-run", Detail: "there is no finished run yet", Hint: "lane runs list"}
		}
		id = list[i].Run
	}
	if id == "" || id != filepath.Base(id) || id == "." || id == ".." {
		return Result{}, &UsageError{"run-id", "not the id of a run: " + quote(id)}
	}
	r, err := readRecord(filepath.Join(home, "runs", id))
	if err != nil {
		return Result{}, &Refusal{Reason: "no-such-run", Path: id, Detail: cause(err), Hint: "lane runs list"}
	}
	return r, nil
}

func readRecord(dir string) (Result, error) {
	var r Result
	b, err := readBeneath(dir, recordDir+"/result.json", maxRecord)
	if err != nil {
		return r, err
	}
	return r, json.Unmarshal(b, &r)
}
