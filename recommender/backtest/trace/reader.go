package trace

import (
	"errors"
	"fmt"
	"io"
	"iter"
)

const samplesHeader = "service,ts_unix,cpu_cores,mem_bytes"

// Reader reads the samples of a recording, service after service. It holds one line at a time, whatever the length of
// the file. It is not safe for concurrent use.
type Reader struct {
	lines *lines
	seen  map[string]struct{}
	row   row
	ahead bool // row was read and belongs to a service that was not begun
	err   error
}

// Open opens the samples of a recording. The caller closes the reader.
func Open(path string) (*Reader, error) {
	s, err := openSource(path)
	if err != nil {
		return nil, err
	}

	r, err := newReader(s)
	if err != nil {
		return nil, errors.Join(err, s.close())
	}

	return r, nil
}

// NewReader reads samples from an open file, packed or not; name is what errors call it.
func NewReader(name string, content io.Reader) (*Reader, error) {
	s, err := unpack(name, content)
	if err != nil {
		return nil, err
	}

	return newReader(s)
}

func newReader(s source) (*Reader, error) {
	l, err := newLines(s, samplesHeader)
	if err != nil {
		return nil, err
	}

	return &Reader{lines: l, seen: make(map[string]struct{})}, nil
}

// Close closes what Open opened.
func (r *Reader) Close() error {
	if err := r.lines.source.close(); err != nil {
		return fmt.Errorf("%s: close: %w", r.lines.source.name, err)
	}

	return nil
}

// Services yields each service of the file once, in the file's order. Samples that the loop does not take are passed
// over, but still checked. The first fault is yielded last, with a nil series.
func (r *Reader) Services() iter.Seq2[*Series, error] {
	return func(yield func(*Series, error) bool) {
		for r.begin() {
			series := &Series{reader: r, name: r.row.name}

			if !yield(series, nil) {
				return
			}

			series.skip()
		}

		if r.err != nil {
			yield(nil, r.err)
		}
	}
}

// begin makes the next service the current one; false at the end of the file and at a fault.
func (r *Reader) begin() bool {
	if !r.ahead && !r.advance() {
		return false
	}

	if _, again := r.seen[r.row.name]; again {
		r.fail(r.lines.fault("service "+shown([]byte(r.row.name))+" comes a second time", "all samples of a service together"))

		return false
	}

	r.seen[r.row.name] = struct{}{}

	return true
}

// advance reads the next row; false at the end of the file and at a fault.
func (r *Reader) advance() bool {
	r.ahead = false

	if r.err != nil {
		return false
	}

	err := r.lines.next()
	if err == nil {
		err = r.row.parse(r.lines)
	}

	if err != nil {
		if !errors.Is(err, io.EOF) {
			r.err = err
		}

		return false
	}

	r.ahead = true

	return true
}

func (r *Reader) fail(err error) {
	r.ahead, r.err = false, err
}
