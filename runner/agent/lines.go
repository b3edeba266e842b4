package agent

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// maxLine bounds one event of a stream. Claude puts whole tool results on one
// line; a longer one is passed over, and the run goes on.
const maxLine = 32 << 20

// eachEvent calls fn with each line of r that is a JSON object of that form, to
// its end. What else an agent prints is its chatter: it decides nothing.
func eachEvent[E any](r io.Reader, progress func(string), fn func(E, func(string))) error {
	if progress == nil {
		progress = func(string) {}
	}
	br := bufio.NewReaderSize(r, 64<<10)
	for {
		line, err := readLine(br)
		if len(line) > 0 && line[0] == '{' {
			var e E
			if json.Unmarshal(line, &e) == nil {
				fn(e, progress)
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// readLine returns the next line without its newline, or nil for one that is
// longer than maxLine.
func readLine(br *bufio.Reader) ([]byte, error) {
	var line []byte
	tooLong := false
	for {
		part, err := br.ReadSlice('\n')
		if tooLong = tooLong || len(line)+len(part) > maxLine; tooLong {
			line = nil
		} else {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimSpace(line), err
		}
	}
}
