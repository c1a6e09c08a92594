package main

import (
	"context"
	"fmt"
	"time"

	"github.com/tidemark-project/tidemark/internal/clickhouseconn"
	"github.com/tidemark-project/tidemark/internal/clickhouseschema"
	"github.com/tidemark-project/tidemark/internal/usagehistory"
)

// liveUsage says which usage of real services is replayed.
type liveUsage struct {
	Service []string      `placeholder:"TENANT/NAME" help:"Services whose usage is read from ClickHouse; * for all."`
	Since   time.Duration `default:"168h" help:"How long ago the usage begins."`
	Until   time.Duration `default:"0s" help:"How long ago it ends."`

	Tables clickhouseschema.Names `embed:""`
}

// liveRecording is the usage in ClickHouse. Each recommender is shown the same: the time is read once.
func (c *backtestCmd) liveRecording(ctx context.Context) ([]recording, func(), error) {
	now := time.Now()
	request := usagehistory.Request{
		Names: c.Live.Tables, Services: c.Live.Service, From: now.Add(-c.Live.Since), To: now.Add(-c.Live.Until),
	}
	request.Names.Database = c.ClickHouse.Database

	if err := request.Validate(); err != nil {
		return nil, nil, err
	}

	conn, err := clickhouseconn.Open(c.ClickHouse)
	if err != nil {
		return nil, nil, fmt.Errorf("ClickHouse settings: %w", err)
	}

	source := usagehistory.Source(ctx, conn, request)

	return []recording{{"clickhouse", source}}, func() { _ = conn.Close() }, nil // the process ends
}
