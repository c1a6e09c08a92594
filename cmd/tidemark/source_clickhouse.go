package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"

	"github.com/tidemark-project/tidemark/clients/tidemark"
	"github.com/tidemark-project/tidemark/internal/clickhouseconn"
	"github.com/tidemark-project/tidemark/sources"
	"github.com/tidemark-project/tidemark/sources/clickhouse"
)

// sourceClickhouseCmd watches the table of signals.
type sourceClickhouseCmd struct {
	Signals    clickhouse.Config     `embed:"" group:"Signals"`
	ClickHouse clickhouseconn.Config `embed:"" group:"ClickHouse"`
	Server     serverFlags           `embed:"" group:"Server"`
}

// Run watches until ctx ends.
func (c *sourceClickhouseCmd) Run(ctx context.Context, _ io.Writer, logger *slog.Logger) error {
	c.Signals.Database = c.ClickHouse.Database
	if err := c.Signals.Validate(); err != nil {
		return fmt.Errorf("signal settings: %w", err)
	}

	conn, err := clickhouseconn.Open(c.ClickHouse)
	if err != nil {
		return fmt.Errorf("ClickHouse settings: %w", err)
	}
	defer conn.Close() //nolint:errcheck // the process ends

	return c.Server.runSource(ctx, logger, func(*tidemark.Client) sources.Source {
		return clickhouse.New(c.Signals, conn, logger)
	})
}
