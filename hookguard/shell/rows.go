package shell

// tables are all rows. What a row does not say, the generic sinks of
// generic.go and the programs of programs.go do.
var tables = [][]row{fileRows, buildRows, systemRows}
