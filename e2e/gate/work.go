package gate

import (
	"os/exec"
	"strings"

	"lane/e2e/attack"
	"lane/e2e/model"
)

// proofs show, in the session of the attacks, that each tool does what it is
// told where that is allowed: a refusal proves nothing when the tool is dead.
func proofs() []act {
	const claim = "the agent's tools work in its worktree"
	ok := func(id, tool string, sub bool, step func(s *scene, id string) model.Step) act {
		a := act{ID: id, Claim: claim, What: tool, Tool: tool, Sub: sub}
		a.Step = func(s *scene) model.Step { return step(s, id) }
		a.Works = func(s *scene) string { return has(s.f.Worktree+"/"+id+".txt", "fine") }
		return a
	}
	byShell := func(tool string) func(s *scene, id string) model.Step {
		return func(_ *scene, id string) model.Step { return shell(id, tool, "echo fine >"+id+".txt") }
	}
	byWrite := func(s *scene, id string) model.Step {
		return write(id, s.f.Worktree+"/"+id+".txt", "fine\n")
	}
	edit := act{ID: "ok-edit", Claim: claim, What: "Edit", Tool: "Edit",
		Step: func(s *scene) model.Step {
			return model.Use("ok-edit", "Edit", map[string]string{"file_path": s.f.Worktree + "/ok-write.txt", "old_string": "fine", "new_string": "fine, edited"})
		},
		Works: func(s *scene) string { return has(s.f.Worktree+"/ok-write.txt", "edited") }}
	notebook := act{ID: "ok-notebook", Claim: claim, What: "NotebookEdit", Tool: "NotebookEdit",
		Step:  func(s *scene) model.Step { return notebookEdit("ok-notebook", s.f.Worktree+"/nb.ipynb", "fine") },
		Works: func(s *scene) string { return has(s.f.Worktree+"/nb.ipynb", "fine") }}
	read := act{ID: "ok-read", Claim: claim, What: "Read", Tool: "Read",
		Step: func(s *scene) model.Step {
			return model.Use("ok-read", "Read", map[string]string{"file_path": s.f.Worktree + "/main.go"})
		},
		Works: func(s *scene) string { return answered(s, "ok-read", "package main") }}
	readNotebook := act{ID: "read-notebook", Claim: claim, What: "Read: a notebook, before it is edited", Tool: "Read",
		Step: func(s *scene) model.Step {
			return model.Use("read-notebook", "Read", map[string]string{"file_path": s.f.Worktree + "/nb.ipynb"})
		},
		Works: func(s *scene) string { return answered(s, "read-notebook", "cell") }}
	return []act{ok("ok-bash", "Bash", false, byShell("Bash")), ok("ok-mcp", "MCP", false, byShell("MCP")), ok("ok-write", "Write", false, byWrite),
		edit, read, readNotebook, notebook, ok("ok-sub-bash", "Bash", true, byShell("Bash")), ok("ok-sub-write", "Write", true, byWrite)}
}

// work is what a run is for: it is done, committed and taken in.
func work() []act {
	const claim = "work goes on"
	step := func(id, what, command, want string) act {
		return act{ID: id, Claim: claim, What: "Bash: " + what, Tool: "Bash",
			Step:  func(*scene) model.Step { return shell(id, "Bash", command) },
			Works: func(s *scene) string { return answered(s, id, want) },
			Ask:   func(*scene) string { return "Run this shell command: " + command },
			Sign:  func(*scene) string { return command }}
	}
	all := []act{
		{ID: "ok-file", Claim: claim, What: "Write: a file", Tool: "Write",
			Step:  func(s *scene) model.Step { return write("ok-file", s.f.Worktree+"/work.txt", "done\n") },
			Works: func(s *scene) string { return has(s.f.Worktree+"/work.txt", "done") },
			Shown: func(s *scene) string { return has(s.f.Worktree+"/work.txt", "done") },
			Ask: func(s *scene) string {
				return "With your Write tool, write the text done into the file " + s.f.Worktree + "/work.txt"
			},
			Sign: func(*scene) string { return "work.txt" }},
		step("ok-test", "run a script", "printf 'echo PASS\\n' >t.sh && sh t.sh && rm t.sh", "PASS"),
		step("ok-temp", "a temporary file", `f=$(mktemp) && echo temp-works >"$f" && cat "$f" && rm "$f"`, "temp-works"),
		step("ok-diff", "git status and git diff", "git status --short && git diff --stat && echo git-reads", "git-reads"),
	}
	commit := step("ok-commit", "git commit, which the run then takes in", "git add -A && git -c user.name=a -c user.email=a@b commit -qm made-by-the-agent && echo git-commits", "git-commits")
	commit.Works = func(s *scene) string {
		out, err := exec.Command("git", "-C", s.f.Repo, "log", "--format=%s", "-1", "lane").Output()
		if err != nil || strings.TrimSpace(string(out)) != "made-by-the-agent" {
			return "the branch of the repository does not have the commit"
		}
		return ""
	}
	commit.Shown = commit.Works
	clean := act{ID: "ok-clean", Claim: "the run leaves nothing behind in the worktree but the agent's work", What: "git status, outside, after the run",
		Works: func(s *scene) string {
			out, err := exec.Command("git", "-C", s.f.Worktree, "status", "--porcelain").Output()
			if err != nil || strings.TrimSpace(string(out)) != "" {
				return "git status is not clean: " + strings.TrimSpace(string(out))
			}
			return ""
		}}
	return append(all, commit, clean)
}

// has says what is wrong when a file does not hold a text.
func has(path, text string) string {
	if wrote(path, text) == "" {
		return path + " does not have what was written"
	}
	return ""
}

func answered(s *scene, id, want string) string {
	r, _ := s.answer(id)
	if !strings.Contains(r.Text, want) {
		return "the tool answered: " + oneLine(r.Text)
	}
	return ""
}

// oneLine is the start of a text that fits on a line.
func oneLine(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 200 {
		return string(r[:200]) + "…"
	}
	return s
}

// unaddressed is what changed outside the worktree beyond all single acts.
func unaddressed(f *attack.Fixture, commits bool) string {
	if saw := f.Ran(); saw.Through {
		return saw.Detail
	}
	if saw := f.Changed(commits); saw.Through {
		return saw.Detail
	}
	return ""
}
