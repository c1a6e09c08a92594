package cron

import (
	"context"
	"fmt"
	"iter"
	"log/slog"
	"sync/atomic"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/tidemark-project/tidemark/clients/tidemark"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

const (
	// pageSize is as many services as the server sends at once.
	pageSize = 10_000
	// listTimeout bounds one reading of the inventory.
	listTimeout = time.Minute
	// retryInterval is how soon the inventory is read again when that failed.
	retryInterval = 5 * time.Second
)

// Inventory says which services there are.
type Inventory interface {
	// Services yields the services that the request selects; an error is the last thing it yields.
	Services(ctx context.Context, request *tidemarkv1.ListServicesRequest) iter.Seq2[*tidemarkv1.Service, error]
}

// inventory keeps the timetable up to date with the services that there are.
type inventory struct {
	config Config
	logger *slog.Logger
	table  atomic.Pointer[timetable]
	failed bool
}

func newInventory(config Config, logger *slog.Logger) *inventory {
	return &inventory{config: config, logger: logger}
}

// current returns the timetable, or nil before it was first read.
func (i *inventory) current() *timetable { return i.table.Load() }

// run reads the inventory again and again until ctx ends or reading it is hopeless. While it cannot be read, the last
// timetable holds.
func (i *inventory) run(ctx context.Context) error {
	for {
		pause := i.config.RefreshInterval

		if err := i.refresh(ctx); err != nil {
			if ctx.Err() != nil {
				return ctx.Err() //nolint:wrapcheck // the caller's own
			}

			if tidemark.Fatal(err) {
				return fmt.Errorf("read the inventory: %w", err)
			}

			i.report(ctx, err)

			pause = min(pause, max(retryInterval, tidemark.RetryDelay(err)))
		}

		timer := time.NewTimer(pause)

		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()

			return ctx.Err() //nolint:wrapcheck // the caller's own
		}
	}
}

// refresh reads the inventory once, whole or not at all.
func (i *inventory) refresh(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()

	request := &tidemarkv1.ListServicesRequest{PageSize: pageSize}
	proto.Merge(request, i.config.Select)

	var services []string

	for service, err := range i.config.Inventory.Services(ctx, request) {
		if err != nil {
			return err
		}

		services = append(services, service.GetService())
	}

	i.table.Store(newTimetable(i.config.Period, services))

	if i.failed {
		i.failed = false
		i.logger.InfoContext(ctx, "inventory is back", "services", len(services))
	}

	return nil
}

// report logs that the inventory cannot be read, once.
func (i *inventory) report(ctx context.Context, err error) {
	if i.failed {
		return
	}

	i.failed = true

	known := 0
	if table := i.current(); table != nil {
		known = len(table.entries)
	}

	i.logger.WarnContext(ctx, "inventory cannot be read, going on with the last one", "services", known, "error", err)
}
