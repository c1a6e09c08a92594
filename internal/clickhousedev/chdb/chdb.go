package chdb

import (
	"errors"
	"fmt"
	"time"
)

// LibraryEnv is the environment variable that holds the path of libchdb.
const LibraryEnv = "CHDB_LIB_PATH"

var (
	// ErrNoLibrary says that libchdb is not there or cannot be loaded.
	ErrNoLibrary = errors.New("libchdb is not available")
	// ErrBusy says that the process has an open engine already.
	ErrBusy = errors.New("only one ClickHouse data directory can be open in a process")
	// ErrClosed says that the engine or the session is closed.
	ErrClosed = errors.New("engine closed")
)

// Error is what the engine answered instead of a result, as it put it: "Code: 60. DB::Exception: ...".
type Error struct {
	Message string
}

func (e *Error) Error() string { return e.Message }

// Param is the value of a parameter of a query, such as {name:String}. The value is text as in a TSV file.
type Param struct {
	Name  string
	Value string
}

// Stats tells what a query, or one chunk of its result, has cost.
type Stats struct {
	// Rows and Bytes are those of the result.
	Rows, Bytes uint64
	// ReadRows and ReadBytes are those that were read from tables.
	ReadRows, ReadBytes uint64
	Elapsed             time.Duration
}

// missing makes the error for a library that cannot be loaded.
func missing(path string, err error) error {
	if path == "" {
		path = "(no path: " + LibraryEnv + " is not set)"
	}
	return fmt.Errorf("%w: %s: %w; run \"make engine\" and set %s to the path of libchdb.so",
		ErrNoLibrary, path, err, LibraryEnv)
}
