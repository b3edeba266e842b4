package runner

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
)

// insideID is the build ID of the lane-inside that was built together with
// this lane: a hash of all that went into it. The build sets it; without it
// there is only lane itself.
var insideID string

// InsideProgram is the program that is the confined child and answers agents'
// hooks, called in the words of lane: the lane-inside beside lane if it is the
// one that was built with it, else lane. Another version's would be taken for
// this one's rules.
func InsideProgram(lane string) string {
	beside := filepath.Join(filepath.Dir(lane), "lane-inside")
	if insideID == "" || !hasBuildID(beside, insideID) {
		return lane
	}
	return beside
}

// buildIDWithin is where the linker puts the ID: a note before the program's
// text, or the beginning of the text.
const buildIDWithin = 64 << 10

// hasBuildID is false for what is no regular file or cannot be executed.
func hasBuildID(name, id string) bool {
	info, err := os.Lstat(name)
	if err != nil || !info.Mode().IsRegular() || info.Mode().Perm()&0o111 == 0 {
		return false
	}
	file, err := os.Open(name)
	if err != nil {
		return false
	}
	defer file.Close()
	head := make([]byte, buildIDWithin)
	n, err := io.ReadFull(file, head)
	return (err == nil || errors.Is(err, io.ErrUnexpectedEOF)) && bytes.Contains(head[:n], []byte(id))
}
