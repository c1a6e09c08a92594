package demo

import (
	"context"
	"fmt"

	"github.com/tidemark-project/tidemark/internal/demo/screen"
)

// once has one service run out of memory, waits for what becomes of it and prints that.
func (d *demonstration) once(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, d.config.Timeout, fmt.Errorf("no scale-up after %s", d.config.Timeout))
	defer cancel()

	return d.withHero(ctx, d.playOnce)
}

func (d *demonstration) playOnce(ctx context.Context, hero int) error {
	d.screen.Linef(screen.Plain, "%s runs out of memory", d.fleet.Service(hero).Key)

	played, err := d.drama(hero).playAtOnce(ctx)
	if err != nil {
		return err
	}

	result := newResult(&played)
	result.Services = d.fleet.Len()
	result.PollIntervalMillis = d.config.PollInterval.Milliseconds()
	result.SeedRows, result.SeedMillis = d.seedRows, d.seedTime.Milliseconds()
	result.Engine = d.engine
	d.result, d.decision = &result, played.decision.Recommendation

	return nil
}
