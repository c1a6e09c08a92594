package demo

import (
	"context"
	"errors"

	"github.com/tidemark-project/tidemark/internal/demo/screen"
)

// heroAttempts is how many services the story is tried with.
const heroAttempts = 3

// withHero finds a service and plays with it. On a very busy machine an evaluation with another cause may come in
// between; then it is played once more, with another service.
func (d *demonstration) withHero(ctx context.Context, play func(ctx context.Context, hero int) error) error {
	for attempt := 1; ; attempt++ {
		hero, err := d.casting().find(ctx)
		if err != nil {
			return err
		}

		err = play(ctx, hero)
		if !errors.Is(err, errOtherCause) || attempt == heroAttempts {
			return err
		}

		d.screen.Linef(screen.Notice, "%v; once more, with another service", err)
	}
}

func (d *demonstration) casting() *casting {
	return &casting{
		client: d.client, fleet: d.fleet, canary: d.fleet.Service(d.canary).Key,
		sweepPeriod: d.config.SweepPeriod, pollInterval: d.config.PollInterval,
	}
}
