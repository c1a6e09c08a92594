//go:build !linux || (!amd64 && !arm64) || nochdb

package chdb

import (
	"errors"
	"io"
)

// Engine stands for the engine in a program that was built without it.
type Engine struct{}

// Session stands for a session of an engine that is not there.
type Session struct{}

// Stream stands for the result of a query that cannot be run.
type Stream struct{}

// Open fails: this program was built without the engine.
func Open(path, _ string) (*Engine, error) {
	return nil, missing(path, errors.New("this program was built without the embedded engine"))
}

// Session fails.
func (*Engine) Session() (*Session, error) { return nil, ErrClosed }

// Close does nothing.
func (*Engine) Close() error { return nil }

// Query fails.
func (*Session) Query(string, string, []Param) ([]byte, Stats, error) {
	return nil, Stats{}, ErrClosed
}

// Stream fails.
func (*Session) Stream(string, string, []Param) (*Stream, error) { return nil, ErrClosed }

// Close does nothing.
func (*Session) Close() {}

// Next returns io.EOF.
func (*Stream) Next() ([]byte, Stats, error) { return nil, Stats{}, io.EOF }

// Close does nothing.
func (*Stream) Close() {}
