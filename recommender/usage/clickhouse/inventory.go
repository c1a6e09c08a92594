package clickhouse

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"

	"github.com/tidemark-project/tidemark/internal/clickhouseschema"
)

// Inventory lists the services that exist. It may be used by several goroutines at once.
type Inventory struct {
	config  Config
	conn    Conn
	logger  *slog.Logger
	skipped atomic.Int64
}

// NewInventory returns the inventory of the allocations table that config names.
func NewInventory(config Config, conn Conn, logger *slog.Logger) *Inventory {
	return &Inventory{config: config, conn: conn, logger: logger}
}

// List returns the latest entry of each service, ordered by key. Entries that cannot be one of a service, because of
// their key or of a negative size, are left out.
func (i *Inventory) List(ctx context.Context) ([]Service, error) {
	var (
		services []Service
		skipped  []string
	)

	query := allocationsQuery(i.config.Names, fmt.Sprintf("ORDER BY service\nSETTINGS max_execution_time = %d",
		int64(i.config.QueryTimeout.Seconds())))

	err := eachRow(ctx, i.conn, i.config.QueryTimeout, query, func(scan scanFunc) error {
		service, err := scanService(scan)
		if err != nil {
			return err
		}

		if !clickhouseschema.ValidKey(service.Key) || !service.sane() {
			skipped = append(skipped, service.Key)

			return nil
		}

		services = append(services, service)

		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list the inventory: %w", err)
	}

	i.note(skipped)

	return services, nil
}

// Skipped returns how many entries the latest List left out.
func (i *Inventory) Skipped() int64 {
	return i.skipped.Load()
}

// note logs entries that were left out, when their number has changed.
func (i *Inventory) note(skipped []string) {
	number := int64(len(skipped))
	if i.skipped.Swap(number) == number || number == 0 {
		return
	}

	i.logger.Warn("the inventory has entries that cannot be services; they are left out",
		slog.Int64("entries", number), slog.String("first", skipped[0]))
}
