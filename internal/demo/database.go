package demo

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"github.com/tidemark-project/tidemark/internal/clickhouseconn"
	"github.com/tidemark-project/tidemark/internal/clickhouseschema"
)

// dropTimeout is how long removing our tables from somebody's ClickHouse may take.
const dropTimeout = 30 * time.Second

// database is our connection to ClickHouse and the tables in it.
type database struct {
	conn   driver.Conn
	schema clickhouseschema.Config
	// borrowed says that the ClickHouse is not ours, so that we have to tidy up.
	borrowed bool
}

// openDatabase prepares the connection; it does not connect yet.
func openDatabase(config *Config, address string) (*database, error) {
	settings, schema := config.ClickHouse, clickhouseschema.DefaultConfig()

	if !config.external() {
		settings.Addr = []string{address}
	} else {
		// A name that nobody else has: whatever else is on that server, we do not touch it.
		schema.Names.Database = "tidemark_demo_" + rand.Text()
	}

	settings.Database = schema.Names.Database

	conn, err := clickhouseconn.Open(settings)
	if err != nil {
		return nil, fmt.Errorf("ClickHouse settings: %w", err)
	}

	return &database{conn: conn, schema: schema, borrowed: config.external()}, nil
}

func (d *database) name() string { return d.schema.Names.Database }

// version is that of the ClickHouse.
func (d *database) version(ctx context.Context) (string, error) {
	var version string
	if err := d.conn.QueryRow(ctx, "SELECT version()").Scan(&version); err != nil {
		return "", fmt.Errorf("ask ClickHouse for its version: %w", err)
	}

	return version, nil
}

// compact merges the roll-up. Where usage comes in minute by minute, ClickHouse has done so by itself long ago.
func (d *database) compact(ctx context.Context) error {
	if err := d.conn.Exec(ctx, "OPTIMIZE TABLE "+d.schema.Names.Qualified(d.schema.Names.Usage)+" FINAL"); err != nil {
		return fmt.Errorf("merge the usage roll-up: %w", err)
	}

	return nil
}

// close ends the connection. Tables in a borrowed ClickHouse are dropped first, unless they are to be kept.
func (d *database) close(ctx context.Context, keep bool) error {
	if d.borrowed && !keep {
		ctx, cancel := context.WithTimeout(ctx, dropTimeout)
		defer cancel()

		if err := d.conn.Exec(ctx, "DROP DATABASE IF EXISTS "+clickhouseschema.Quote(d.name())); err != nil {
			return fmt.Errorf("drop the database %s of the demonstration: %w", d.name(), err)
		}
	}

	if err := d.conn.Close(); err != nil {
		return fmt.Errorf("close the connection to ClickHouse: %w", err)
	}

	return nil
}
