package shell

// value is what a script expression is known to be: any of some texts, a
// list, or only a name such as "os.path".
type value struct {
	texts []string // possible values; none means unknown
	list  []value
	name  string           // a dotted name that has no value of its own
	named map[string]value // keyword arguments, object literals
	dict  bool             // an object literal, not the argument of a name
	isDir bool             // a path object: its methods work on the file
	made  bool             // it came from a call that opened a file
	slot  string           // the environment variable that this is
	from  string           // the variable that holds it
}

var unknown = value{}

func textValue(s string) value { return value{texts: []string{s}} }

func (v value) text() string {
	if len(v.texts) == 0 {
		return holeVar
	}
	return v.texts[0]
}

func (v value) known() bool { return len(v.texts) > 0 }

// all is every text the value may be; a list gives its elements'.
func (v value) all() []string {
	if len(v.list) > 0 {
		var out []string
		for _, item := range v.list {
			out = append(out, item.all()...)
		}
		return out
	}
	return v.texts
}

// joinTexts combines two values as texts, for each pair of possibilities.
func joinTexts(a, b value, between string) value {
	if !a.known() && !b.known() {
		return unknown
	}
	as, bs := a.texts, b.texts
	if !a.known() {
		as = []string{holeVar}
	}
	if !b.known() {
		bs = []string{holeVar}
	}
	var out value
	for _, x := range as {
		for _, y := range bs {
			if len(x)+len(y) > maxValue {
				panic(errLimit)
			}
			if len(out.texts) == maxRounds {
				panic(errLimit)
			}
			out.texts = append(out.texts, x+between+y)
		}
	}
	return out
}
