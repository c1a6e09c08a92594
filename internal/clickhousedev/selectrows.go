package clickhousedev

import (
	"errors"
	"io"

	"github.com/ClickHouse/ch-go/proto"

	"github.com/tidemark-project/tidemark/internal/clickhousedev/chdb"
	"github.com/tidemark-project/tidemark/internal/clickhousedev/native"
)

// selectRows runs a SELECT and sends its rows as they come.
func (c *conn) selectRows(req request) error {
	w := c.watch()
	total, blocks, err := c.streamRows(req)
	w.stop()
	if notStreamable(err) {
		// It only looks like a SELECT, such as WITH ... INSERT.
		return c.execute(req)
	}
	err = asException(err)
	if w.cancelled.Load() && (err == nil || hasCode(err, proto.ErrQueryWasCancelled)) {
		return c.sendCode(proto.ServerCodeEndOfStream)
	}
	if err != nil {
		return err
	}
	return c.sendEnd(total, blocks)
}

// streamRows sends the columns of a SELECT, then its rows.
func (c *conn) streamRows(req request) (total chdb.Stats, blocks uint64, err error) {
	columns := c.describe(req)
	rows, err := c.session.stream(req.Text, formatNative, req.params)
	if err != nil {
		return total, 0, err
	}
	defer rows.Close()
	if columns != nil {
		if err := c.sendHeader(columns); err != nil {
			return total, 0, err
		}
	}
	for {
		chunk, stats, err := rows.Next()
		last := errors.Is(err, io.EOF)
		if err != nil && !last {
			return total, blocks, err
		}
		n, err := c.sendBlocks(chunk, columns)
		if err != nil {
			return total, blocks, err
		}
		blocks += n
		total.Rows += stats.Rows
		total.Bytes += stats.Bytes
		if err := c.sendProgress(progress(stats)); err != nil || last {
			return total, blocks, err
		}
	}
}

// describe returns the columns of a SELECT, or nil if the engine cannot tell: then the SELECT itself is going to say
// why. The engine's blocks have columns too, but no block comes if there are no rows, and they lack time zones.
func (c *conn) describe(req request) []native.Column {
	rows, err := queryRows(c.session, "DESCRIBE TABLE ("+req.Text+"\n)"+describePlainly, req.params)
	if err != nil {
		return nil
	}
	columns := make([]native.Column, len(rows))
	for i, row := range rows {
		columns[i] = native.Column{Name: row[0], Type: row[1]}
	}
	return columns
}
