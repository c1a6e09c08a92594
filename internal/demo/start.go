package demo

import (
	"context"
	"fmt"
	"time"

	"github.com/tidemark-project/tidemark/internal/demo/feed"
	"github.com/tidemark-project/tidemark/internal/demo/screen"
)

// startBackground starts what the demonstration plays itself: the scraper, the platform and, with a screen, the observer.
func (d *demonstration) startBackground(ctx context.Context) {
	d.platform = &platform{fleet: d.fleet, write: d.writer.Allocations, delay: d.config.ResizeDelay}
	d.changes.listen(d.platform.hear)

	d.monitor = newMonitor(d)
	d.changes.listen(d.monitor.hear)

	scraper := feed.Scraper{
		Writer: d.writer, Fleet: d.fleet, Interval: d.config.ScrapeInterval, OnInsert: d.monitor.inserted,
	}

	d.background.Go(func() { scraper.Run(ctx) })
	d.background.Go(func() { d.platform.run(ctx) })

	if !d.config.Once {
		d.background.Go(func() { d.monitor.run(ctx) })
	}
}

// startTidemark starts the product.
func (d *demonstration) startTidemark() error {
	d.screen.Linef(screen.Heading, "starting Tidemark")

	return d.processes.start(
		d.commands.server(), d.commands.cron(), d.commands.signals(), d.commands.agent(d.changes.take))
}

// waitReady returns when all is up and the first sweep is over.
func (d *demonstration) waitReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, d.config.Timeout, fmt.Errorf("not ready after %s", d.config.Timeout))
	defer cancel()

	ready := &readiness{
		client: d.client, metrics: serverMetrics{address: d.commands.addresses.http}, processes: d.processes,
		services: d.fleet.Len(), canary: d.fleet.Service(d.canary).Key,
		signal: func(ctx context.Context) error {
			return d.writer.Throttled(ctx, d.fleet.Service(d.canary), time.Now())
		},
		pollInterval: d.config.PollInterval,
	}

	began := time.Now()
	if err := ready.wait(ctx); err != nil {
		return err
	}

	// From here on a process that dies is part of the show.
	d.processes.forgive()
	d.screen.Linef(screen.Good, "everything is connected and every service was evaluated, %.1f s after the start",
		time.Since(began).Seconds())

	return nil
}
