package clickhousedev

import (
	"log/slog"
	"slices"
	"strings"

	"github.com/tidemark-project/tidemark/internal/clickhousedev/native"
	"github.com/tidemark-project/tidemark/internal/clickhousedev/statement"
)

// receiveExternal reads what a client sends after each query: its external tables, if there are any, and an empty
// block. Each external table becomes a temporary table; their names are returned.
func (c *conn) receiveExternal() ([]string, error) {
	var names []string
	var failure error
	for {
		name, block, err := c.nextBlock()
		if err != nil {
			c.dropExternal(names)
			return nil, err
		}
		if block.End() {
			break
		}
		if name == "" || failure != nil {
			continue
		}
		if !slices.Contains(names, name) {
			failure = c.settings.exec("CREATE OR REPLACE TEMPORARY TABLE " + quoteName(name) +
				" (" + structure(block.Columns) + ") ENGINE = Memory")
			names = append(names, name)
		}
		if failure == nil && block.Rows > 0 {
			failure = c.fillExternal(name, block)
		}
	}
	if failure != nil {
		c.dropExternal(names)
	}
	return names, failure
}

// fillExternal adds the block that was read last to a temporary table.
func (c *conn) fillExternal(name string, block native.Block) error {
	rows, err := newSpool(c.server.spoolDir)
	if err != nil {
		return err
	}
	defer rows.remove(c.log)
	if err := rows.add(c.block, block); err != nil {
		return err
	}
	return c.settings.exec(insertFrom(statement.InsertParts{Target: quoteName(name)}, rows.columns, rows.source()))
}

func (c *conn) dropExternal(names []string) {
	for _, name := range names {
		if err := c.settings.exec("DROP TEMPORARY TABLE IF EXISTS " + quoteName(name)); err != nil {
			c.log.Warn("cannot drop an external table", slog.Any("error", err))
		}
	}
}

// structure writes columns as a table's definition does.
func structure(columns []native.Column) string {
	parts := make([]string, len(columns))
	for i, col := range columns {
		parts[i] = quoteName(col.Name) + " " + col.Type
	}
	return strings.Join(parts, ", ")
}
