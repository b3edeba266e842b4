package shell

// rows is the whole table. What a row does not say, the generic sinks of
// generic.go and the interpreters of programs.go do.
var rows = concat(fileRows, buildRows, systemRows)

func concat(tables ...[]row) []row {
	var all []row
	for _, t := range tables {
		all = append(all, t...)
	}
	return all
}
