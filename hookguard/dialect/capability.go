package dialect

// Capabilities are what a harness lets a hook do, and what becomes of a call
// when the hook goes wrong: as data, so that a test holds it against what the
// dialect does and the manual can print it.
type Capabilities struct {
	Measured string   // with which version, or that it was not
	Events   []string // on which the guard has an opinion, in the harness's words
	Silent   []string // on which it has none
	Deny     string   // how a call is blocked
	Ask      string   // what becomes of an ask
	Tell     string   // where a hint goes
	Prompt   string   // what becomes of a prompt with a secret in it
	Failure  map[Mishap]Outcome
	Unseen   []string // what never reaches a hook
	Note     string
	Differs  []Difference
}

// Mishap is a way in which a hook goes wrong.
type Mishap string

const (
	ExitOne       Mishap = "exit 1"
	ExitTwo       Mishap = "exit 2 with text on stderr"
	ExitTwoSilent Mishap = "exit 2 without text"
	Timeout       Mishap = "timeout"
	BadOutput     Mishap = "text beside the JSON, or JSON cut short"
	Missing       Mishap = "the program is missing"
)

// Mishaps lists them in the order of the manual.
func Mishaps() []Mishap {
	return []Mishap{ExitOne, ExitTwo, ExitTwoSilent, Timeout, BadOutput, Missing}
}

// Outcome is what becomes of the call.
type Outcome string

const (
	Blocks  Outcome = "blocks"
	Runs    Outcome = "runs" // the tool runs as if there were no hook
	Unknown Outcome = "not measured"
)

// Difference is where the measured harness, or lane on purpose, differs from
// the wanted behaviour as it was once written down, by the row of that list.
type Difference struct {
	Row          int
	Wanted, Does string
}
