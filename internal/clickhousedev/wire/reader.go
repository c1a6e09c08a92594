package wire

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/ClickHouse/ch-go/compress"
)

const (
	bufferSize = 128 << 10
	step       = 64 << 10
)

// ErrLimit says that a string or a list is longer than it may be.
var ErrLimit = errors.New("limit exceeded")

// Reader reads the primitives of the protocol.
type Reader struct {
	raw        *bufio.Reader
	compressed *bufio.Reader
	current    *bufio.Reader
}

// NewReader returns a reader of the bytes that a client sends.
func NewReader(r io.Reader) *Reader {
	raw := bufio.NewReaderSize(r, bufferSize)
	return &Reader{raw: raw, current: raw}
}

// Compressed makes the reads that follow go through decompression, or not.
func (r *Reader) Compressed(on bool) {
	switch {
	case !on:
		r.current = r.raw
	case r.compressed == nil:
		r.compressed = bufio.NewReaderSize(&frames{src: compress.NewReader(r.raw)}, step)
		fallthrough
	default:
		r.current = r.compressed
	}
}

// Pending reports whether decompressed bytes are left that nobody has read.
func (r *Reader) Pending() bool {
	return r.compressed != nil && r.compressed.Buffered() > 0
}

// Read implements [io.Reader].
func (r *Reader) Read(p []byte) (int, error) {
	n, err := r.current.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		return n, fmt.Errorf("read: %w", err)
	}
	return n, err //nolint:wrapcheck // An io.Reader ends with io.EOF itself.
}

// ReadByte implements [io.ByteReader].
func (r *Reader) ReadByte() (byte, error) {
	b, err := r.current.ReadByte()
	if err != nil && !errors.Is(err, io.EOF) {
		return b, fmt.Errorf("read: %w", err)
	}
	return b, err //nolint:wrapcheck // An io.ByteReader ends with io.EOF itself.
}

// Uvarint reads a number of variable length.
func (r *Reader) Uvarint() (uint64, error) {
	n, err := binary.ReadUvarint(r)
	if err != nil {
		return 0, fmt.Errorf("number: %w", err)
	}
	return n, nil
}

// Skip reads n bytes and drops them.
func (r *Reader) Skip(n int) error {
	if _, err := io.CopyN(io.Discard, r, int64(n)); err != nil {
		return fmt.Errorf("skip: %w", err)
	}
	return nil
}

// String reads a string of at most limit bytes. Its memory grows with the bytes that come, not with the length
// that was announced.
func (r *Reader) String(limit int) (string, error) {
	n, err := r.Uvarint()
	if err != nil {
		return "", err
	}
	if n > math.MaxInt32 || int(n) > limit {
		return "", fmt.Errorf("string of %d bytes: %w", n, ErrLimit)
	}
	length := int(n)
	buf := make([]byte, 0, min(length, step))
	for len(buf) < length {
		start := len(buf)
		buf = append(buf, make([]byte, min(length-start, step))...)
		if _, err := io.ReadFull(r, buf[start:]); err != nil {
			return "", fmt.Errorf("string: %w", err)
		}
	}
	return string(buf), nil
}
