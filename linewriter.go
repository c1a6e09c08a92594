package process

import "bytes"

// maxLine bounds the memory for a line that does not end, in bytes; the rest of it is a line of its own.
const maxLine = 1 << 20

// lineWriter hands on each line that is written to it.
type lineWriter struct {
	onLine  func(line []byte)
	pending []byte
}

// Write implements io.Writer.
func (w *lineWriter) Write(data []byte) (int, error) {
	written := len(data)

	for {
		line, rest, complete := bytes.Cut(data, []byte("\n"))
		w.pending = append(w.pending, line...)

		if !complete && len(w.pending) < maxLine {
			return written, nil
		}

		w.onLine(w.pending)
		w.pending = w.pending[:0]
		data = rest

		if !complete {
			return written, nil
		}
	}
}
