//go:build linux && (amd64 || arm64) && !nochdb

package chdb

import (
	"io"
	"unsafe"
)

// Stream is the result of a query that comes in chunks.
type Stream struct {
	session *Session
	handle  unsafe.Pointer
	chunk   unsafe.Pointer
	done    bool
}

// Stream starts a SELECT. The library streams no other statement; for those it fails at once. The stream must be
// closed, and the session can do nothing else until it is.
func (s *Session) Stream(sql, format string, params []Param) (*Stream, error) {
	s.endStream()
	res := s.call(s.lib.stream, sql, format, params)
	if res == nil {
		return nil, ErrClosed
	}
	if err := s.failure(res); err != nil {
		s.lib.destroy(res)
		return nil, err
	}
	s.open = &Stream{session: s, handle: res}
	return s.open, nil
}

// Next returns the next chunk, which is valid until the next call, and [io.EOF] after the last one.
func (r *Stream) Next() ([]byte, Stats, error) {
	if r.done {
		return nil, Stats{}, io.EOF
	}
	r.free()
	s := r.session
	r.chunk = s.lib.fetch(*(*unsafe.Pointer)(s.handle), r.handle)
	if r.chunk == nil {
		r.done = true
		return nil, Stats{}, io.EOF
	}
	if err := s.failure(r.chunk); err != nil {
		r.done = true
		return nil, Stats{}, err
	}
	stats := s.stats(r.chunk)
	if stats.Rows == 0 {
		r.done = true
		return nil, stats, io.EOF
	}
	return s.contents(r.chunk), stats, nil
}

// Close ends the query if it has not ended, and frees the stream.
func (r *Stream) Close() {
	if r.handle == nil {
		return
	}
	s := r.session
	r.free()
	if !r.done {
		s.lib.cancel(*(*unsafe.Pointer)(s.handle), r.handle)
	}
	s.lib.destroy(r.handle)
	r.handle, r.done = nil, true
	if s.open == r {
		s.open = nil
	}
}

func (r *Stream) free() {
	if r.chunk != nil {
		r.session.lib.destroy(r.chunk)
		r.chunk = nil
	}
}
