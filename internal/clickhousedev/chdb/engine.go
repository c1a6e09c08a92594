//go:build linux && (amd64 || arm64) && !nochdb

package chdb

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"
)

// opened is the directory of the engine that is open in this process. It is global because the engine is: libchdb
// has one per process, whatever the number of callers.
var opened atomic.Pointer[string]

// Engine is the engine of this process. Its methods may be called from any goroutine.
type Engine struct {
	lib  *library
	args [][]byte

	mu sync.Mutex
	// sessions counts the open ones; the engine in the library lives as long as one is.
	sessions map[*Session]struct{}
	closed   bool
}

// Open loads libchdb from a path and opens the data directory dir, which is made if it is not there.
func Open(libPath, dir string) (*Engine, error) {
	lib, err := load(libPath)
	if err != nil {
		return nil, err
	}
	if !opened.CompareAndSwap(nil, &dir) {
		open := "?"
		if p := opened.Load(); p != nil {
			open = *p
		}
		return nil, fmt.Errorf("%w: %s is, so %s cannot be", ErrBusy, open, dir)
	}
	return &Engine{
		lib:      lib,
		args:     [][]byte{cstring("clickhouse"), cstring("--path=" + dir)},
		sessions: map[*Session]struct{}{},
	}, nil
}

// Session opens a session: its own current database, settings and temporary tables.
func (e *Engine) Session() (*Session, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil, ErrClosed
	}
	handle, err := e.connect()
	if err != nil {
		return nil, err
	}
	s := &Session{engine: e, lib: e.lib, handle: handle}
	e.sessions[s] = struct{}{}
	return s, nil
}

// connect opens a connection of the library. The library replaces the handlers of deadly signals when it does, and
// Go needs its own to turn faults into panics, so they are put back at once.
func (e *Engine) connect() (unsafe.Pointer, error) {
	restore, err := keepHandlers()
	if err != nil {
		return nil, err
	}
	defer restore()
	e.lib.setHandlers(0)

	var pin runtime.Pinner
	defer pin.Unpin()
	argv := make([]unsafe.Pointer, len(e.args)+1)
	for i, arg := range e.args {
		argv[i] = unsafe.Pointer(&arg[0])
		pin.Pin(&arg[0])
	}
	handle := e.lib.connect(int32(len(e.args)), unsafe.Pointer(&argv[0])) //nolint:gosec // There are two.
	runtime.KeepAlive(argv)
	if handle == nil {
		return nil, errors.New("the engine cannot open its data directory (is another process using it?)")
	}
	return handle, nil
}

// Close closes the sessions that are still open, and with the last one the engine. No query may be running.
func (e *Engine) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return ErrClosed
	}
	e.closed = true
	for s := range e.sessions {
		e.lib.closeConn(s.handle)
	}
	clear(e.sessions)
	opened.Store(nil)
	return nil
}

func (e *Engine) drop(s *Session) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if _, ok := e.sessions[s]; !ok {
		return
	}
	delete(e.sessions, s)
	e.lib.closeConn(s.handle)
}

// cstring returns the bytes of s and a zero.
func cstring(s string) []byte { return append([]byte(s), 0) }
