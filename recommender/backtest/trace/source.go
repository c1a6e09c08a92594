package trace

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
)

// bufferSize is how much is read at once, in bytes.
const bufferSize = 256 << 10

// source is the bytes of a file, unpacked.
type source struct {
	name    string
	content io.Reader
	closers []io.Closer
}

// openSource opens a file, packed or not.
func openSource(path string) (source, error) {
	file, err := os.Open(path)
	if err != nil {
		return source{}, fmt.Errorf("open a recording: %w", err)
	}

	s, err := unpack(path, file)
	if err != nil {
		return source{}, errors.Join(err, file.Close())
	}

	s.closers = append(s.closers, file)

	return s, nil
}

// unpack looks at the first bytes, since a name tells little, and removes the packing if there is any.
func unpack(name string, packed io.Reader) (source, error) {
	buffered := bufio.NewReaderSize(packed, bufferSize)

	magic, err := buffered.Peek(2)
	if err != nil && !errors.Is(err, io.EOF) {
		return source{}, fmt.Errorf("%s: read: %w", name, err)
	}

	if !bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		return source{name: name, content: buffered}, nil
	}

	unpacked, err := gzip.NewReader(buffered)
	if err != nil {
		return source{}, fmt.Errorf("%s: unpack: %w", name, err)
	}

	return source{name: name, content: unpacked, closers: []io.Closer{unpacked}}, nil
}

func (s *source) close() error {
	errs := make([]error, 0, len(s.closers))

	for _, closer := range s.closers {
		errs = append(errs, closer.Close())
	}

	s.closers = nil

	return errors.Join(errs...)
}
