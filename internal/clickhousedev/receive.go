package clickhousedev

import (
	"errors"
	"fmt"

	"github.com/ClickHouse/ch-go/proto"

	"github.com/tidemark-project/tidemark/internal/clickhousedev/native"
)

// errCancelled says that the client has cancelled the query while it was sending its rows.
var errCancelled = errors.New("cancelled by the client")

// receiveBlock reads the body of a packet of data into c.block, framed as in a file, and returns the name of the
// table that it is for.
func (c *conn) receiveBlock() (string, native.Block, error) {
	name, err := c.reader.Data(c.revision)
	if err != nil {
		return "", native.Block{}, fmt.Errorf("read data: %w", err)
	}
	c.reader.Compressed(c.compressed)
	framing := native.Framing{From: c.revision, To: native.FileRevision}
	var block native.Block
	c.block, block, err = framing.Append(c.block[:0], c.reader)
	c.reader.Compressed(false)
	if err != nil {
		// Where the next packet starts is unknown now, so the connection cannot go on.
		err = fmt.Errorf("read block: %w", err)
		if errors.Is(err, native.ErrType) || errors.Is(err, native.ErrTooLarge) {
			return name, block, errors.Join(err, c.sendException(refuse(proto.ErrUnknownType,
				"The development server cannot read this block: %s", err)))
		}
		return name, block, err
	}
	if c.reader.Pending() {
		return name, block, fmt.Errorf("read block: %w: bytes after its end", native.ErrFormat)
	}
	return name, block, nil
}

// nextBlock waits for the next packet of data and reads it.
func (c *conn) nextBlock() (string, native.Block, error) {
	code, err := c.pump.next()
	if err != nil {
		return "", native.Block{}, err
	}
	switch code {
	case proto.ClientCodeData:
		return c.receiveBlock()
	case proto.ClientCodeCancel:
		return "", native.Block{}, errCancelled
	default:
		return "", native.Block{}, c.reject(proto.ErrUnexpectedPacketFromClient, "Unexpected packet %d instead of data", code)
	}
}

// dropBlock reads a packet of data that nobody wants.
func (c *conn) dropBlock() error {
	_, _, err := c.receiveBlock()
	return err
}
