package clickhousedev

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"

	"github.com/tidemark-project/tidemark/internal/clickhousedev/native"
)

// spool is a file of rows that wait for the engine to read them. The engine takes rows from files and from the text
// of a statement; from files it takes any number, in any format, at the speed of the disk cache.
type spool struct {
	file    *os.File
	columns []native.Column
	rows    uint64
	bytes   uint64
}

func newSpool(dir string) (*spool, error) {
	file, err := os.CreateTemp(dir, "insert-*.native")
	if err != nil {
		return nil, fmt.Errorf("make a file for rows: %w", err)
	}
	return &spool{file: file}, nil
}

// add appends a block that is framed as in a file.
func (s *spool) add(block []byte, head native.Block) error {
	if s.columns == nil {
		s.columns = head.Columns
	}
	if head.Rows == 0 {
		return nil
	}
	if _, err := s.file.Write(block); err != nil {
		return fmt.Errorf("keep rows: %w", err)
	}
	s.rows += uint64(head.Rows) //nolint:gosec // It is not negative.
	s.bytes += uint64(len(block))
	return nil
}

// full reports whether it is time to give the rows to the engine.
func (s *spool) full() bool { return s.rows >= flushRows || s.bytes >= flushBytes }

// source is the table function that reads the file.
func (s *spool) source() string {
	return fmt.Sprintf("file(%s, %s, %s)", quoteString(s.file.Name()), formatNative, quoteString(structure(s.columns)))
}

// remove deletes the file.
func (s *spool) remove(log *slog.Logger) {
	err := errors.Join(s.file.Close(), os.Remove(s.file.Name()))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		log.Warn("cannot remove a file of rows", slog.Any("error", err))
	}
}
