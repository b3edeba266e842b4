package gitdiscover

// reftableHead returns the ref HEAD names in a repository whose refs are in
// reftables; the HEAD file there is a fixed placeholder.
func (f *finder) reftableHead(g *gitDir) (string, error) { return "", nil }
