package clickhousedev

import (
	"fmt"
	"os"
	"strings"

	"github.com/ClickHouse/ch-go/proto"

	"github.com/tidemark-project/tidemark/internal/clickhousedev/chdb"
	"github.com/tidemark-project/tidemark/internal/clickhousedev/native"
	"github.com/tidemark-project/tidemark/internal/clickhousedev/statement"
)

// insert runs an INSERT whose rows are data.
func (c *conn) insert(req request) error {
	target, err := c.target(req.Insert)
	if err != nil {
		return err
	}
	if req.Insert.Source == statement.Inline {
		return c.insertInline(req, target)
	}
	if err := c.sendHeader(target.sample()); err != nil {
		return err
	}
	stats, err := c.insertBlocks(req)
	if err != nil {
		return err
	}
	return c.sendWritten(stats)
}

// insertBlocks takes rows from the client and writes them, many at a time, as a server does.
func (c *conn) insertBlocks(req request) (chdb.Stats, error) {
	var total chdb.Stats
	for {
		last, stats, err := c.insertSome(req)
		total.Rows += stats.Rows
		total.Bytes += stats.Bytes
		if err != nil || last {
			return total, err
		}
	}
}

// insertSome takes rows until there are many or the last has come, and writes them.
func (c *conn) insertSome(req request) (last bool, stats chdb.Stats, err error) {
	rows, err := newSpool(c.server.spoolDir)
	if err != nil {
		return true, stats, err
	}
	defer rows.remove(c.log)
	for !last && !rows.full() {
		_, block, err := c.nextBlock()
		if err != nil {
			return true, stats, err
		}
		last = block.End()
		if last {
			break
		}
		if err := rows.add(c.block, block); err != nil {
			return true, stats, err
		}
	}
	if rows.rows == 0 {
		return last, stats, nil
	}
	sql := insertFrom(req.Insert, rows.columns, rows.source())
	err = c.watched(func() error {
		_, stats, err = c.session.query(sql, formatNative, req.params)
		return err
	})
	stats.Rows, stats.Bytes = rows.rows, rows.bytes
	return last, stats, err
}

// insertInline writes the rows that stand in the text of an INSERT.
func (c *conn) insertInline(req request, target target) error {
	file, err := newSpool(c.server.spoolDir)
	if err != nil {
		return err
	}
	defer file.remove(c.log)
	path := file.file.Name()
	if err := os.WriteFile(path, []byte(req.Insert.Data), 0o600); err != nil {
		return fmt.Errorf("keep rows: %w", err)
	}
	source := fmt.Sprintf("file(%s, %s, %s)", quoteString(path), req.Insert.Format, quoteString(target.definition()))
	var stats chdb.Stats
	err = c.watched(func() error {
		_, stats, err = c.session.query(insertFrom(req.Insert, target.sample(), source), formatNative, req.params)
		return err
	})
	if err != nil {
		return err
	}
	stats.Rows, stats.Bytes = stats.ReadRows, stats.ReadBytes
	return c.sendWritten(stats)
}

// watched runs a query under a watch, and returns its error as an exception.
func (c *conn) watched(run func() error) error {
	w := c.watch()
	defer w.stop()
	return asException(run())
}

func (c *conn) sendWritten(stats chdb.Stats) error {
	if err := c.sendProgress(proto.Progress{WroteRows: stats.Rows, WroteBytes: stats.Bytes}); err != nil {
		return err
	}
	return c.sendCode(proto.ServerCodeEndOfStream)
}

// insertFrom writes an INSERT of the given columns from a table function.
func insertFrom(in statement.InsertParts, columns []native.Column, source string) string {
	names := make([]string, len(columns))
	for i, col := range columns {
		names[i] = quoteName(col.Name)
	}
	list := strings.Join(names, ", ")
	return fmt.Sprintf("INSERT INTO %s (%s) %s SELECT %s FROM %s", in.Target, list, in.Settings, list, source)
}
