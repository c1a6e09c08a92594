package clickhousedev

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/ClickHouse/ch-go/proto"

	"github.com/tidemark-project/tidemark/internal/clickhousedev/chdb"
	"github.com/tidemark-project/tidemark/internal/clickhousedev/native"
	"github.com/tidemark-project/tidemark/internal/clickhousedev/statement"
)

// execute runs a statement that is not streamed, and sends its rows if it has any.
func (c *conn) execute(req request) error {
	out, stats, columns, cancelled, err := c.collect(req)
	if cancelled && hasCode(err, proto.ErrQueryWasCancelled) {
		return c.sendCode(proto.ServerCodeEndOfStream)
	}
	if err != nil {
		return err
	}
	if columns != nil {
		if err := c.sendHeader(columns); err != nil {
			return err
		}
	}
	blocks, err := c.sendBlocks(out, nil)
	if err != nil {
		return err
	}
	if err := c.sendProgress(progress(stats)); err != nil {
		return err
	}
	return c.sendEnd(stats, blocks)
}

// collect runs a statement to its end. If it has columns but no rows, it finds out the columns too.
func (c *conn) collect(req request) (out []byte, stats chdb.Stats, columns []native.Column, cancelled bool, err error) {
	w := c.watch()
	defer func() {
		w.stop()
		cancelled = w.cancelled.Load()
	}()
	out, stats, err = c.session.query(req.Text, formatNative, req.params)
	if err != nil {
		return nil, stats, nil, false, asException(err)
	}
	if len(out) == 0 && req.Kind == statement.Show {
		columns, err = c.columnsByRunning(req)
	}
	return out, stats, columns, false, err
}

// columnsByRunning finds out the columns of a statement that has no rows: it runs it once more in a format that
// starts with the columns.
func (c *conn) columnsByRunning(req request) ([]native.Column, error) {
	out, _, err := c.session.query(req.Text, "JSONCompactStringsEachRowWithNamesAndTypes", req.params)
	if err != nil {
		return nil, asException(err)
	}
	rows, err := decodeRows(out)
	const headRows = 2
	if err != nil || len(rows) < headRows || len(rows[0]) != len(rows[1]) {
		return nil, err
	}
	columns := make([]native.Column, len(rows[0]))
	for i := range columns {
		columns[i] = native.Column{Name: rows[0][i], Type: rows[1][i]}
	}
	return columns, nil
}

// sendHeader sends a block of columns without rows.
func (c *conn) sendHeader(columns []native.Column) error {
	c.block = native.AppendHeader(c.block[:0], columns, c.revision)
	return c.sendBlock(c.block)
}

// sendBlocks sends the blocks that the engine has written, and returns their number. The types, if given, are those
// that the client shall see.
func (c *conn) sendBlocks(chunk []byte, types []native.Column) (uint64, error) {
	framing := native.Framing{From: native.FileRevision, To: c.revision, Types: types}
	src := bytes.NewReader(chunk)
	for n := uint64(0); ; n++ {
		var err error
		c.block, _, err = framing.Append(c.block[:0], src)
		switch {
		case errors.Is(err, io.EOF):
			return n, nil
		case errors.Is(err, native.ErrType):
			return n, refuse(proto.ErrUnknownType, "The development server cannot send this result: %s", err)
		case err != nil:
			return n, fmt.Errorf("the engine's result: %w", err)
		}
		if err := c.sendBlock(c.block); err != nil {
			return n, err
		}
	}
}
