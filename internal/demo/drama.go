package demo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tidemark-project/tidemark/internal/demo/fleet"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// drama is a service that runs out of memory, and what comes of it.
type drama struct {
	fleet   *fleet.Fleet
	changes *changes
	hero    int
	// patience is how long the scale-up may take after the signal.
	patience time.Duration
	// scrape writes what the service uses at some moments, in one insert.
	scrape func(ctx context.Context, moments ...time.Time) error
}

func (d *demonstration) drama(hero int) *drama {
	return &drama{
		fleet: d.fleet, changes: d.changes, hero: hero, patience: d.config.PollInterval + storyPatience,
		scrape: func(ctx context.Context, moments ...time.Time) error {
			return d.writer.Scrape(ctx, d.fleet, hero, moments...)
		},
	}
}

// outcome is how long it took and what came of it.
type outcome struct {
	sent     time.Time // just before the signal was sent
	inserted time.Time // just after ClickHouse had taken it in
	decision change
}

// took is the time from just before the signal was sent until the agent's line was read.
func (o *outcome) took() time.Duration { return o.decision.read.Sub(o.sent) }

// errOtherCause says that something else had the service evaluated first.
var errOtherCause = errors.New("it was scaled up for another cause than the signal: its memory had risen, and its turn had come")

// checkCause keeps the story true: it is about a signal.
func (o *outcome) checkCause() error {
	if o.sent.IsZero() || signalOf(o.decision) == nil {
		return errOtherCause
	}

	return nil
}

// signalOf returns the signal that led to the change; nil when none did.
func signalOf(c change) *tidemarkv1.TriggerRecord {
	for _, t := range c.GetTriggers() {
		if t.GetTrigger() == tidemarkv1.Trigger_TRIGGER_SIGNAL {
			return t
		}
	}

	return nil
}

// risingSteps are how long before it is full the memory of the service is measured.
//
//nolint:gochecknoglobals // a constant table
var risingSteps = [...]time.Duration{12 * time.Second, 8 * time.Second, 4 * time.Second, time.Second}

// playAtOnce has the service's memory be full now, after a few seconds in which it rose, and waits for the scale-up on
// the agent's stream.
func (d *drama) playAtOnce(ctx context.Context) (outcome, error) {
	d.fleet.Claim(d.hero)
	defer d.fleet.Release(d.hero)

	heard, stop := d.listen()
	defer stop()

	now := time.Now()
	d.fleet.Surge(d.hero, now.Add(-fleet.SurgeFull))

	rising := make([]time.Time, 0, len(risingSteps))
	for _, before := range risingSteps {
		rising = append(rising, now.Add(-before))
	}

	if err := d.scrape(ctx, rising...); err != nil {
		return outcome{}, fmt.Errorf("write the rise of memory: %w", err)
	}

	result := outcome{sent: time.Now()}

	if err := d.scrape(ctx, result.sent); err != nil {
		return outcome{}, fmt.Errorf("write the signal: %w", err)
	}

	result.inserted = time.Now()

	select {
	case result.decision = <-heard:
		return result, result.checkCause()
	case <-ctx.Done():
		return outcome{}, fmt.Errorf("no scale-up of %s has come on the agent's stream %s after its signal: %w",
			d.key(), time.Since(result.sent).Round(time.Millisecond), context.Cause(ctx))
	}
}

// listen returns the first change by which the service is to get more memory than it has.
func (d *drama) listen() (heard <-chan change, stop func()) {
	first := make(chan change, 1)
	has := d.fleet.Allocation(d.hero).MemoryBytes

	return first, d.changes.listen(func(c change) {
		if c.GetService() != d.key() || c.GetDirection() != tidemarkv1.Direction_DIRECTION_UP ||
			c.GetRecommended().GetMemoryBytes() <= has {
			return
		}

		select {
		case first <- c:
		default:
		}
	})
}

func (d *drama) key() string { return d.fleet.Service(d.hero).Key }
