package agent

import (
	"bufio"
	"errors"
	"io"
)

// eachLine calls fn with each line of r that begins like a JSON object, to its
// end. What else an agent prints decides nothing.
func eachLine(r io.Reader, fn func(line []byte)) error {
	br := bufio.NewReaderSize(r, 64<<10)
	for {
		line, err := readLine(br)
		if len(line) > 0 && line[0] == '{' {
			fn(line)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
