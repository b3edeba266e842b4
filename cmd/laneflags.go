package cmd

import (
	"github.com/spf13/pflag"

	"lane/runner"
)

// registerLane are the flags that every lane has, whoever runs in it.
func registerLane(fl *pflag.FlagSet, req *runner.Request) {
	fl.StringArrayVar(&req.Env, "env", nil, "let this variable of yours pass (a name; repeatable)")
	fl.StringArrayVar(&req.Reads, "read", nil, "a further directory the lane may read (repeatable)")
	fl.StringArrayVar(&req.Writes, "write", nil, "a further directory the lane may write (repeatable)")
	fl.StringArrayVar(&req.Masks, "mask", nil, "files of the worktree that are there but empty inside, e.g. .env or '*.pem' (repeatable)")
	fl.StringVar((*string)(&req.Home), "home", string(runner.HomePrivate), "private: an empty home with toolchains; readable: the home but for known secrets")
	fl.StringVar(&req.Git, "git", "", "own: a git directory of the lane's own, commits work; read-only: the lane reads git")
	fl.StringVar(&req.TakeIn, "take-in", "success", "when commits are brought into the repository: never, success or always")
	fl.BoolVar(&req.GitHooks, "git-hooks", false, "run the repository's own hooks inside the lane, read-only")
	fl.BoolVar(&req.KeepRefs, "keep-refs", false, "keep the lane's other branches and tags under refs/lane/RUN/")
	fl.StringVar(&req.Layer, "layer", "", "what confines: bwrap or landlock (lane help layers); never another than asked for")
	fl.StringArrayVar(&req.Accept, "accept", nil, "accept this gap by name (repeatable)")
	fl.StringArrayVar(&req.Vouch, "vouch", nil, "vouch for this layout of the git directories (repeatable)")
}
