package demo

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/tidemark-project/tidemark/clients/tidemark"
	"github.com/tidemark-project/tidemark/internal/demo/fleet"
	"github.com/tidemark-project/tidemark/internal/demo/screen"
	"github.com/tidemark-project/tidemark/internal/demo/workload"
)

// liveStep is the time between two samples of the service that the story is about.
const liveStep = 2 * time.Second

// playLive has the service's memory rise before everybody's eyes until it is full, and waits for the scale-up on the
// agent's stream.
func (d *drama) playLive(ctx context.Context, s *screen.Screen) (outcome, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, fleet.SurgeFull+d.patience, fmt.Errorf("%s is too long", d.patience))
	defer cancel()

	d.fleet.Claim(d.hero)
	defer d.fleet.Release(d.hero)

	heard, stop := d.listen()
	defer stop()

	d.fleet.Surge(d.hero, time.Now())

	ticker := time.NewTicker(liveStep)
	defer ticker.Stop()

	var result outcome

	for {
		if err := d.step(ctx, s, &result); err != nil {
			return outcome{}, err
		}

		select {
		case <-ticker.C:
		case result.decision = <-heard:
			return result, result.checkCause()
		case <-ctx.Done():
			return outcome{}, fmt.Errorf("no scale-up of %s on the agent's stream: %w", d.key(), context.Cause(ctx))
		}
	}
}

// step writes one sample and shows it. The first one with refused work is the signal.
func (d *drama) step(ctx context.Context, s *screen.Screen, result *outcome) error {
	now := time.Now()
	use := d.fleet.Use(d.hero, 0, now)
	signals := use.Rejections > 0

	if signals && result.sent.IsZero() {
		result.sent = now
		d.show(s, use)
		s.Linef(screen.Alarm, "⚑ it refuses work: a row with memory_rejections = %d goes into ClickHouse for each of %s",
			use.Rejections, strings.Join(d.fleet.Service(d.hero).Replicas(), ", "))
	} else if !signals {
		d.show(s, use)
	}

	if err := d.scrape(ctx, now); err != nil {
		return fmt.Errorf("write a sample: %w", err)
	}

	return nil
}

func (d *drama) show(s *screen.Screen, use workload.Use) {
	limit := d.fleet.Allocation(d.hero).MemoryBytes

	s.Linef(screen.Detail, "  memory %s of %s (%.0f %%)", tidemark.FormatMemory(int64(use.ResidentBytes)),
		tidemark.FormatMemory(limit), 100*use.ResidentBytes/float64(limit))
}
