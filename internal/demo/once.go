package demo

import (
	"context"
	"fmt"

	"github.com/tidemark-project/tidemark/internal/demo/screen"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// once has one service run out of memory, waits for what becomes of it and prints that.
func (d *demonstration) once(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, d.config.Timeout, fmt.Errorf("no scale-up after %s", d.config.Timeout))
	defer cancel()

	hero, err := d.casting().find(ctx)
	if err != nil {
		return err
	}

	d.screen.Linef(screen.Plain, "%s runs out of memory", d.fleet.Service(hero).Key)

	played, err := d.drama(hero).playAtOnce(ctx)
	if err != nil {
		return err
	}

	full, err := d.client.Get(ctx, &tidemarkv1.GetRecommendationRequest{
		Service: played.decision.GetService(), View: tidemarkv1.View_VIEW_FULL,
	})
	if err != nil {
		return err
	}

	result := newResult(&played)
	result.Stages = newStages(&played, full)
	result.Services = d.fleet.Len()
	result.PollIntervalMillis = d.config.PollInterval.Milliseconds()
	result.SeedRows, result.SeedMillis = d.seedRows, d.seedTime.Milliseconds()
	result.Engine = d.engine
	d.result, d.decision = &result, played.decision.Recommendation

	return nil
}

func (d *demonstration) casting() *casting {
	return &casting{
		client: d.client, fleet: d.fleet, canary: d.fleet.Service(d.canary).Key,
		sweepPeriod: d.config.SweepPeriod, pollInterval: d.config.PollInterval,
	}
}
