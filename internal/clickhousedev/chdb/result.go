//go:build linux && (amd64 || arm64) && !nochdb

package chdb

import (
	"time"
	"unsafe"
)

// failure returns the error that a result of the library stands for, if any.
func (s *Session) failure(res unsafe.Pointer) error {
	p := s.lib.failure(res)
	if p == nil {
		return nil
	}
	n := 0
	for *(*byte)(unsafe.Add(p, n)) != 0 {
		n++
	}
	if n == 0 {
		return nil
	}
	return &Error{Message: string(unsafe.Slice((*byte)(p), n))}
}

// contents returns the bytes of a result, which the library owns.
func (s *Session) contents(res unsafe.Pointer) []byte {
	p, n := s.lib.buffer(res), s.lib.length(res)
	if p == nil || n == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(p), n)
}

func (s *Session) stats(res unsafe.Pointer) Stats {
	return Stats{
		Rows:      s.lib.rows(res),
		Bytes:     s.lib.bytes(res),
		ReadRows:  s.lib.readRows(res),
		ReadBytes: s.lib.readBytes(res),
		Elapsed:   time.Duration(s.lib.elapsed(res) * float64(time.Second)),
	}
}
