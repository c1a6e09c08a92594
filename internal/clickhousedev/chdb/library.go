//go:build linux && (amd64 || arm64) && !nochdb

package chdb

import (
	"errors"
	"fmt"
	"os"
	"unsafe"

	"github.com/ebitengine/purego"
)

// library holds the functions of libchdb that are used. Handles of the library are opaque pointers.
type library struct {
	connect     func(argc int32, argv unsafe.Pointer) unsafe.Pointer
	closeConn   func(conn unsafe.Pointer)
	query       func(conn, sql unsafe.Pointer, sqlLen uintptr, format unsafe.Pointer, formatLen uintptr, names, nameLens, values, valueLens unsafe.Pointer, count uintptr) unsafe.Pointer
	stream      func(conn, sql unsafe.Pointer, sqlLen uintptr, format unsafe.Pointer, formatLen uintptr, names, nameLens, values, valueLens unsafe.Pointer, count uintptr) unsafe.Pointer
	fetch       func(conn, stream unsafe.Pointer) unsafe.Pointer
	cancel      func(conn, stream unsafe.Pointer)
	destroy     func(result unsafe.Pointer)
	buffer      func(result unsafe.Pointer) unsafe.Pointer
	length      func(result unsafe.Pointer) uintptr
	elapsed     func(result unsafe.Pointer) float64
	rows        func(result unsafe.Pointer) uint64
	bytes       func(result unsafe.Pointer) uint64
	readRows    func(result unsafe.Pointer) uint64
	readBytes   func(result unsafe.Pointer) uint64
	failure     func(result unsafe.Pointer) unsafe.Pointer
	setHandlers func(enabled int32)
}

// load opens libchdb. The system keeps it loaded until the process ends; loading it again costs nothing.
func load(path string) (*library, error) {
	if path == "" {
		return nil, missing(path, errors.New("not found"))
	}
	if _, err := os.Stat(path); err != nil {
		return nil, missing(path, err)
	}
	handle, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return nil, missing(path, err)
	}
	lib := &library{}
	for _, f := range lib.functions() {
		address, err := purego.Dlsym(handle, f.name)
		if err != nil {
			return nil, missing(path, fmt.Errorf("version too old: %w", err))
		}
		purego.RegisterFunc(f.target, address)
	}
	return lib, nil
}

type function struct {
	name   string
	target any
}

func (l *library) functions() []function {
	return []function{
		{"chdb_connect", &l.connect},
		{"chdb_close_conn", &l.closeConn},
		{"chdb_query_with_params_n", &l.query},
		{"chdb_stream_query_with_params_n", &l.stream},
		{"chdb_stream_fetch_result", &l.fetch},
		{"chdb_stream_cancel_query", &l.cancel},
		{"chdb_destroy_query_result", &l.destroy},
		{"chdb_result_buffer", &l.buffer},
		{"chdb_result_length", &l.length},
		{"chdb_result_elapsed", &l.elapsed},
		{"chdb_result_rows_read", &l.rows},
		{"chdb_result_bytes_read", &l.bytes},
		{"chdb_result_storage_rows_read", &l.readRows},
		{"chdb_result_storage_bytes_read", &l.readBytes},
		{"chdb_result_error", &l.failure},
		{"chdb_set_signal_handlers_enabled", &l.setHandlers},
	}
}
