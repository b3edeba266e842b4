package dialect

import (
	"os"
	"testing"

	"lane/hookguard"
)

// corpusFacts are what the rows of testdata assume.
var corpusFacts = hookguard.Facts{
	Worktree: "/wt/proj", GitDir: "/srv/repo/.git/worktrees/proj", CommonDir: "/srv/repo/.git",
	Tmp: "/wt/.lane/tmp", Home: "/home/dev", User: "dev", LaneHome: "/home/dev/.lane",
}

// TestRows answers every row of the corpora: attacks are refused, and work
// that is nobody's business is left alone.
func TestRows(t *testing.T) {
	for _, name := range []string{"../testdata/commands.jsonl", "../testdata/own.jsonl"} {
		t.Run(name, func(t *testing.T) {
			file, err := os.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			rows, err := ReadRows(file)
			if err != nil {
				t.Fatal(err)
			}
			total, right := map[string]int{}, map[string]int{}
			for _, row := range rows {
				if row.Symlinks == nil {
					row.Symlinks = map[string]string{} // the paths of the rows are not this machine's
				}
				got, err := row.Judge(corpusFacts)
				if err != nil {
					t.Error(err)
					continue
				}
				total[row.Expected]++
				if row.Right(got) {
					right[row.Expected]++
					continue
				}
				t.Errorf("%s: want %s, got %s %s\n\t%s %s\n\t%s", row.ID, row.Expected, got.Decision, got.Rule, row.Tool, row.Input, got.Reason)
			}
			for _, want := range []string{"deny", "ask", "allow"} {
				t.Logf("%s: %d of %d", want, right[want], total[want])
			}
		})
	}
}
