package clickhousedev

import (
	"log/slog"
	"strings"

	"github.com/tidemark-project/tidemark/internal/clickhousedev/native"
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
			return names, failure
		}
		if name == "" || failure != nil {
			continue
		}
		failure = c.createExternal(name, block)
		names = append(names, name)
	}
}

// createExternal makes a temporary table of the block that was read last.
func (c *conn) createExternal(name string, block native.Block) error {
	file, err := newSpool(c.server.spoolDir)
	if err != nil {
		return err
	}
	defer file.remove(c.log)
	if err := file.add(c.block, block); err != nil {
		return err
	}
	table := "TEMPORARY TABLE " + quoteName(name)
	if err := c.settings.exec("CREATE OR REPLACE " + table + " (" + structure(block.Columns) + ") ENGINE = Memory"); err != nil {
		return err
	}
	return c.settings.exec("INSERT INTO " + quoteName(name) + " SELECT * FROM " + file.source())
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
