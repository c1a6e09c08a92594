package demo

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/tidemark-project/tidemark/internal/clickhouseschema"
	"github.com/tidemark-project/tidemark/internal/demo/fleet"
	"github.com/tidemark-project/tidemark/internal/demo/replay"
	"github.com/tidemark-project/tidemark/internal/demo/screen"
	"github.com/tidemark-project/tidemark/internal/demo/workload"
)

// engineTimeout is how long a ClickHouse may take to start.
const engineTimeout = time.Minute

// loadFleet makes up or reads the services.
func (d *demonstration) loadFleet() error {
	if d.config.Usage == "" {
		d.fleet = fleet.New(fleet.Model(workload.Config{
			Seed: d.config.Seed, Services: d.config.Fleet, Origin: time.Now(),
		}))
		d.introduceModel()

		return nil
	}

	loaded, err := replay.Load(replay.Config{
		Usage: d.config.Usage, Services: d.config.Services, Limit: d.config.Fleet, Now: time.Now(),
	})
	if err != nil {
		return err
	}

	d.fleet = fleet.New(loaded.Services)
	d.introduceRecording(loaded)

	return nil
}

// prepare brings up ClickHouse and fills it.
func (d *demonstration) prepare(ctx context.Context) error {
	if err := d.startEngine(ctx); err != nil {
		return err
	}

	if err := clickhouseschema.Apply(ctx, d.database.conn, d.database.schema); err != nil {
		return err
	}

	return d.seed(ctx)
}

// startEngine returns when ClickHouse answers.
func (d *demonstration) startEngine(ctx context.Context) error {
	if !d.config.external() {
		if err := d.processes.start(d.commands.engine()); err != nil {
			return err
		}
	}

	ctx, cancel := context.WithTimeout(ctx, min(engineTimeout, d.config.Timeout))
	defer cancel()

	return waitUntil(ctx, "ClickHouse answers", func(ctx context.Context) error {
		if err := d.processes.failing(); err != nil {
			return err
		}

		version, err := d.database.version(ctx)
		d.engine = "ClickHouse " + version

		return err
	})
}

// seed writes the history.
func (d *demonstration) seed(ctx context.Context) error {
	began := time.Now()
	d.screen.Linef(screen.Plain, "writing 30 hours of history of %d services into %s", d.fleet.Len(), d.engine)

	rows, err := d.writer.Seed(ctx, d.fleet, began, d.seedProgress())
	if err != nil {
		return fmt.Errorf("write the history: %w", err)
	}

	if err := d.database.compact(ctx); err != nil {
		return err
	}

	d.seedRows, d.seedTime = rows, time.Since(began)
	d.screen.Linef(screen.Good, "%d samples in %.1f s", rows, d.seedTime.Seconds())

	return nil
}

// seedProgress shows every fifth of the way.
func (d *demonstration) seedProgress() func(done int) {
	const parts = 5

	var shown atomic.Int64

	return func(done int) {
		part := int64(done * parts / d.fleet.Len())
		if before := shown.Load(); part > before && part < parts && shown.CompareAndSwap(before, part) {
			d.screen.Linef(screen.Detail, "  %d of %d services", done, d.fleet.Len())
		}
	}
}
