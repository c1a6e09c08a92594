package process

import "bytes"

// maxLine bounds the memory for a line that does not end, in bytes; what follows is taken for a line of its own.
const maxLine = 1 << 20

// lineWriter hands on each line that is written to it.
type lineWriter struct {
	onLine  func(line []byte)
	pending []byte
}

// Write implements io.Writer.
func (w *lineWriter) Write(data []byte) (int, error) {
	written := len(data)

	for len(data) > 0 {
		line, rest, complete := bytes.Cut(data, []byte("\n"))
		w.pending = append(w.pending, line...)
		data = rest

		if complete || len(w.pending) >= maxLine {
			w.onLine(w.pending)
			w.pending = w.pending[:0]
		}
	}

	return written, nil
}
