package native

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// Source is where blocks are read from.
type Source interface {
	io.Reader
	io.ByteReader
}

// ErrTooLarge says that a block has more bytes, rows or columns than a block may have.
var ErrTooLarge = errors.New("block too large")

// ErrFormat says that the bytes of a block contradict its own header.
var ErrFormat = errors.New("malformed block")

// step is how far the output grows before more input has come, so that a length that lies costs little memory.
const step = 1 << 20

// copier appends bytes of a source to its output.
type copier struct {
	src   Source
	out   []byte
	limit int
}

// bytes copies n bytes.
func (c *copier) bytes(n int) error {
	if n < 0 || len(c.out)+n > c.limit {
		return ErrTooLarge
	}
	for n > 0 {
		part := min(n, step)
		start := len(c.out)
		c.out = grow(c.out, part)
		if _, err := io.ReadFull(c.src, c.out[start:]); err != nil {
			return fmt.Errorf("read %d bytes: %w", part, noEOF(err))
		}
		n -= part
	}
	return nil
}

// values copies n values of the given width in bytes.
func (c *copier) values(n, width int) error {
	if width > 0 && n > c.limit/width {
		return ErrTooLarge
	}
	return c.bytes(n * width)
}

// uint64 copies eight bytes and returns their value.
func (c *copier) uint64() (uint64, error) {
	if err := c.bytes(8); err != nil {
		return 0, err
	}
	return binary.LittleEndian.Uint64(c.out[len(c.out)-8:]), nil
}

// count copies eight bytes that hold a number of rows.
func (c *copier) count() (int, error) {
	n, err := c.uint64()
	if err != nil {
		return 0, err
	}
	if n > maxRows {
		return 0, fmt.Errorf("%w: %d rows", ErrTooLarge, n)
	}
	return int(n), nil
}

// str copies a string: its length and its bytes.
func (c *copier) str() error {
	n, err := binary.ReadUvarint(c.src)
	if err != nil {
		return fmt.Errorf("read length: %w", noEOF(err))
	}
	if n > math.MaxInt32 {
		return ErrTooLarge
	}
	c.out = binary.AppendUvarint(c.out, n)
	return c.bytes(int(n))
}

// grow lengthens b by n bytes of any content.
func grow(b []byte, n int) []byte {
	if cap(b)-len(b) >= n {
		return b[:len(b)+n]
	}
	return append(b, make([]byte, n)...)
}

// noEOF turns an end of input in the middle of a value into an unexpected one.
func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
