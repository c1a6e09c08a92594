//go:build linux && (amd64 || arm64) && !nochdb

package chdb

import (
	"runtime"
	"unsafe"
)

// Session is a session of the engine. It runs one query at a time, so its methods must not be called from more than
// one goroutine at once; different sessions run at the same time.
type Session struct {
	engine *Engine
	lib    *library
	handle unsafe.Pointer
	// open is the stream that must end before the next query.
	open *Stream
}

// Query runs a statement to its end and returns the result in a format.
func (s *Session) Query(sql, format string, params []Param) ([]byte, Stats, error) {
	s.endStream()
	res := s.call(s.lib.query, sql, format, params)
	if res == nil {
		return nil, Stats{}, ErrClosed
	}
	defer s.lib.destroy(res)
	if err := s.failure(res); err != nil {
		return nil, Stats{}, err
	}
	var out []byte
	if b := s.contents(res); len(b) > 0 {
		out = append(out, b...)
	}
	return out, s.stats(res), nil
}

// Close ends the session. No query may be running.
func (s *Session) Close() {
	s.endStream()
	s.engine.drop(s)
}

func (s *Session) endStream() {
	if s.open != nil {
		s.open.Close()
	}
}

type queryFunc = func(conn, sql unsafe.Pointer, sqlLen uintptr, format unsafe.Pointer, formatLen uintptr,
	names, nameLens, values, valueLens unsafe.Pointer, count uintptr) unsafe.Pointer

// call passes texts to the library by address and length.
func (s *Session) call(f queryFunc, sql, format string, params []Param) unsafe.Pointer {
	var pin runtime.Pinner
	defer pin.Unpin()
	text := func(t string) unsafe.Pointer {
		if t == "" {
			t = "\x00"
		}
		p := unsafe.StringData(t)
		pin.Pin(p)
		return unsafe.Pointer(p)
	}
	names, nameLens := make([]unsafe.Pointer, len(params)), make([]uintptr, len(params))
	values, valueLens := make([]unsafe.Pointer, len(params)), make([]uintptr, len(params))
	for i, p := range params {
		names[i], nameLens[i] = text(p.Name), uintptr(len(p.Name))
		values[i], valueLens[i] = text(p.Value), uintptr(len(p.Value))
	}
	res := f(*(*unsafe.Pointer)(s.handle), text(sql), uintptr(len(sql)), text(format), uintptr(len(format)),
		unsafe.Pointer(unsafe.SliceData(names)), unsafe.Pointer(unsafe.SliceData(nameLens)),
		unsafe.Pointer(unsafe.SliceData(values)), unsafe.Pointer(unsafe.SliceData(valueLens)), uintptr(len(params)))
	runtime.KeepAlive(names)
	runtime.KeepAlive(nameLens)
	runtime.KeepAlive(values)
	runtime.KeepAlive(valueLens)
	return res
}
