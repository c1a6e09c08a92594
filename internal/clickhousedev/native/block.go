package native

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/ClickHouse/ch-go/proto"
)

const (
	// FileRevision is the protocol revision that stands for blocks as files hold them.
	FileRevision = 0
	// DefaultLimit is the largest block, in bytes, that is copied unless told otherwise.
	DefaultLimit = 1 << 30

	maxRows    = 1 << 31
	maxColumns = 1 << 16
	maxName    = 1 << 20
)

// Column is the head of a column.
type Column struct {
	Name string
	Type string
}

// Block is the head of a block.
type Block struct {
	Columns []Column
	Rows    int
}

// End reports whether the block is the empty one that ends a stream of blocks.
func (b Block) End() bool { return len(b.Columns) == 0 && b.Rows == 0 }

// Framing says how a block is to be changed while it is copied.
type Framing struct {
	// From and To are protocol revisions; FileRevision is the bare format.
	From, To int
	// Types, if set, replace the types named by the block where they differ only in a time zone.
	Types []Column
	// Limit is the largest size of the result in bytes; 0 is DefaultLimit.
	Limit int
}

// Append reads a block from src and appends it to dst, framed anew. It returns io.EOF, bare, if src is at its end.
func (f Framing) Append(dst []byte, src Source) ([]byte, Block, error) {
	c := &copier{src: src, out: dst, limit: f.Limit}
	if c.limit == 0 {
		c.limit = DefaultLimit
	}
	c.limit += len(dst)
	b, err := f.copy(c)
	return c.out, b, err
}

func (f Framing) copy(c *copier) (Block, error) {
	if proto.FeatureBlockInfo.In(f.From) {
		if err := readInfo(c.src); err != nil {
			return Block{}, err
		}
	}
	columns, err := binary.ReadUvarint(c.src)
	if err != nil {
		if err == io.EOF && f.From == FileRevision { //nolint:errorlint // A source ends with the bare value.
			return Block{}, io.EOF
		}
		return Block{}, fmt.Errorf("number of columns: %w", noEOF(err))
	}
	rows, err := binary.ReadUvarint(c.src)
	if err != nil {
		return Block{}, fmt.Errorf("number of rows: %w", noEOF(err))
	}
	if columns > maxColumns || rows > maxRows {
		return Block{}, fmt.Errorf("%w: %d columns, %d rows", ErrTooLarge, columns, rows)
	}
	b := Block{Rows: int(rows)}
	c.out = appendStart(c.out, int(columns), b.Rows, f.To)
	for i := range int(columns) {
		col, err := f.column(c, i, b.Rows)
		if err != nil {
			return b, fmt.Errorf("column %d: %w", i, err)
		}
		b.Columns = append(b.Columns, col)
	}
	return b, nil
}

func (f Framing) column(c *copier, i, rows int) (Column, error) {
	col, err := readHead(c.src, f.From)
	if err != nil {
		return col, err
	}
	t, err := ParseType(col.Type)
	if err != nil {
		return col, err
	}
	if i < len(f.Types) && sameButZone(f.Types[i].Type, col.Type) {
		col.Type = f.Types[i].Type
	}
	c.out = appendHead(c.out, col, f.To)
	if rows == 0 {
		return col, nil
	}
	if err := c.prefix(t); err != nil {
		return col, fmt.Errorf("%.100q prefix: %w", col.Name, err)
	}
	if err := c.rows(t, rows); err != nil {
		return col, fmt.Errorf("%.100q: %w", col.Name, err)
	}
	return col, nil
}
