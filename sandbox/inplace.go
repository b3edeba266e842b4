package sandbox

// InPlace returns the policy as a layer can say it that has no mounts: the
// host's files are seen at their own places or not at all.
//
// A Private row becomes a Hide row, since nothing of the lane's own can be put
// there; what lies below it stays open, as the policy meant it. With
// protects false, the rows that TakenInside lists are left out: then Decide
// says of what they name what will really be so. Everything else is as strict
// as before: no path can be read or written that could not be, but for those.
func (p Policy) InPlace(protects bool) Policy {
	lost := map[string]bool{}
	if !protects {
		for _, row := range p.TakenInside() {
			lost[row.Path] = true
		}
	}
	var rows []Row
	for _, row := range p.Rows {
		if lost[row.Path] {
			continue
		}
		for _, over := range p.Rows {
			if over.Access == Private && over.Path != row.Path && Contains(over.Path, row.Path) {
				row.Reopen = true
			}
		}
		switch row.Access {
		case Private:
			row.Access, row.Size, row.Mode = Hide, 0, 0
			row.Reason = "out of reach: the layer makes no private directories"
		case Processes:
			row.Reason = "the host's processes are seen; nothing can be written"
		case Devices:
			row.Reason = "some of the host's harmless device nodes"
		}
		rows = append(rows, row)
	}
	p.Rows = rows
	return p
}

// TakenInside are the rows that take away a part of what a Write row above
// them gives. A layer whose rules can only add cannot express them.
func (p Policy) TakenInside() []Row {
	var taken []Row
	for _, row := range p.Sorted() {
		if row.Access == Write || row.Path == "/" {
			continue
		}
		for _, over := range p.Rows {
			if over.Access == Write && over.Path != row.Path && Contains(over.Path, row.Path) {
				taken = append(taken, row)
				break
			}
		}
	}
	return taken
}
