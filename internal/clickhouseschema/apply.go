package clickhouseschema

import (
	"context"
	"fmt"
	"strings"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
)

// Conn is the part of a ClickHouse connection that this package needs.
type Conn interface {
	Exec(ctx context.Context, query string, args ...any) error
	Query(ctx context.Context, query string, args ...any) (driver.Rows, error)
}

// Apply makes everything that does not exist yet. It alters and drops nothing: Check tells what it left different.
// When it fails it may be run again.
func Apply(ctx context.Context, conn Conn, config Config) error {
	statements, err := Statements(config)
	if err != nil {
		return err
	}

	for _, statement := range statements {
		if err := conn.Exec(ctx, statement); err != nil {
			head, _, _ := strings.Cut(statement, "\n")

			return fmt.Errorf("apply the ClickHouse schema: %s: %w", head, err)
		}
	}

	return nil
}
