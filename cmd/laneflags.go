package cmd

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"lane/runner"
)

// registerLane are the flags that every lane has, whoever runs in it.
func registerLane(fl *pflag.FlagSet, req *runner.Request) {
	fl.StringArrayVar(&req.Env, "env", nil, "let this variable of yours pass (a name; repeatable)")
	fl.StringArrayVar(&req.Reads, "read", nil, "a further directory the lane may read (repeatable)")
	fl.StringArrayVar(&req.Writes, "write", nil, "a further directory the lane may write (repeatable)")
	fl.StringArrayVar(&req.Masks, "mask", nil, "files of the worktree that are there but empty inside, e.g. .env, '*.pem' or secrets/ (repeatable)")
	fl.StringVar((*string)(&req.Home), "home", string(runner.HomePrivate), "private: an empty home with toolchains; readable: the home but for known secrets")
	fl.StringVar(&req.Git, "git", "", "own: a git directory of the lane's own, commits work; read-only: the lane reads git")
	fl.StringVar(&req.TakeIn, "take-in", "success", "when commits are brought into the repository: never, success or always")
	fl.BoolVar(&req.GitHooks, "git-hooks", false, "run the repository's own hooks inside the lane, read-only")
	fl.BoolVar(&req.KeepRefs, "keep-refs", false, "keep the lane's other branches and tags under refs/lane/RUN/")
	fl.StringVar(&req.Layer, "layer", "", "what confines: bwrap or landlock (lane help layers); never another than asked for")
	fl.StringArrayVar(&req.Accept, "accept", nil, "accept this gap by name (repeatable)")
	fl.StringArrayVar(&req.Vouch, "vouch", nil, "vouch for this layout of the git directories (repeatable)")
}

// checkLane refuses flags that contradict each other, and what cannot be
// accepted: a name that no gap has would be forgotten in silence, and the lane
// refused, or the commits not taken in, after all.
func checkLane(req runner.Request) error {
	switch {
	case req.Git == "read-only" && req.TakeIn == "always":
		return contradiction("--git read-only and --take-in always exclude each other: the lane makes no commits")
	case req.Git == "read-only" && req.KeepRefs:
		return contradiction("--git read-only and --keep-refs exclude each other: the lane makes no refs")
	case req.Git == "read-only" && req.GitHooks:
		return contradiction("--git read-only and --git-hooks exclude each other: without commits no hook runs")
	case req.TakeIn == "never" && req.KeepRefs:
		return contradiction("--take-in never and --keep-refs exclude each other: refs are kept by the take-in")
	}
	var names []string
	for _, g := range gapTopics {
		names = append(names, g.name)
	}
	return checkAccept(req.Accept, names)
}

func contradiction(detail string) error {
	return &runner.UsageError{Reason: "contradiction", Detail: detail}
}

func checkAccept(accept, names []string) error {
	for _, a := range accept {
		if !slices.Contains(names, a) {
			return &runner.UsageError{Reason: "accept", Detail: "--accept takes the name of a gap, not " + q(a) + ": " + strings.Join(names, ", ")}
		}
	}
	return nil
}
