package shell

import "strings"

// print is what the interpreter knows of git's output.
func (g *gitCall) print() {
	switch g.sub {
	case "rev-parse":
		g.revParse()
	case "ls-files", "diff", "grep", "ls-tree", "status", "log", "show", "diff-tree", "diff-index", "check-ignore", "stash":
		for _, w := range g.words {
			if strings.HasPrefix(w, "--name-only") || strings.HasPrefix(w, "--porcelain") || w == "-l" || w == "-s" || w == "--short" || w == "--files-with-matches" || w == "--name-status" {
				g.io.print(holeName + "\n")
				return
			}
		}
		if g.sub == "ls-files" || g.sub == "check-ignore" {
			g.io.print(holeName + "\n")
			return
		}
		g.io.print(holeOut)
	case "branch", "describe", "symbolic-ref", "rev-list", "merge-base", "tag", "hash-object", "write-tree", "commit-tree", "name-rev", "for-each-ref":
		g.io.print(holeSeg + "\n")
	case "config":
		g.io.print(holeVar + "\n")
	default:
		g.io.print(holeOut)
	}
}

func (g *gitCall) revParse() {
	req := g.in.req
	inside := below(fold(g.st.dir), req.Worktree) && g.gitDir == ""
	gitDir := func(real string) {
		if inside && real != "" {
			g.io.print(real + "\n")
		} else {
			g.io.print(g.st.dir + "/.git\n")
		}
	}
	for _, w := range g.words {
		switch w {
		case "--show-toplevel", "--show-superproject-working-tree":
			if inside {
				g.io.print(req.Worktree + "\n")
			} else {
				g.io.print(g.st.dir + "\n")
			}
			return
		case "--git-dir", "--absolute-git-dir":
			gitDir(req.GitDir)
			return
		case "--git-common-dir":
			gitDir(req.CommonDir)
			return
		case "--git-path":
			if inside && req.CommonDir != "" && len(g.words) > 1 {
				g.io.print(req.CommonDir + "/" + g.words[len(g.words)-1] + "\n")
			}
			return
		case "--show-cdup", "--show-prefix":
			g.io.print(holeName + "\n")
			return
		}
	}
	g.io.print(holeSeg + "\n")
}

func below(p, dir string) bool {
	return dir != "" && (p == dir || strings.HasPrefix(p, strings.TrimSuffix(dir, "/")+"/"))
}
