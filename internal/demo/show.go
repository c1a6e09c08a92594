package demo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tidemark-project/tidemark/clients/tidemark"
	"github.com/tidemark-project/tidemark/internal/demo/screen"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/recommender/size"
)

const (
	// settleTime is how long the first changes stand on the screen before the story begins.
	settleTime = 8 * time.Second
	// storyPatience is how long the story may take, beyond a poll.
	storyPatience = 30 * time.Second
	// storyAttempts is how often the story is begun.
	storyAttempts = 3
)

// show plays the story on the screen, and then shows what goes on until ctx ends.
func (d *demonstration) show(ctx context.Context) {
	err := pause(ctx, settleTime)
	if err == nil {
		err = d.tell(ctx)
	}

	// Whoever stops the show has seen enough.
	if ctx.Err() != nil {
		return
	}

	if err != nil {
		d.screen.Linef(screen.Alarm, "the story went wrong: %v", err)
	}

	d.invite()
	<-ctx.Done()
}

// tell tells the story. On a machine that is very busy an evaluation may come in between; then it is told of another
// service.
func (d *demonstration) tell(ctx context.Context) error {
	d.monitor.silence(true)
	defer d.monitor.silence(false)

	for attempt := 1; ; attempt++ {
		err := d.tellOnce(ctx)
		if !errors.Is(err, errOtherCause) || attempt == storyAttempts {
			return err
		}

		d.screen.Linef(screen.Notice, "  %v; once more, with another service", err)
	}
}

// tellOnce is the story of one service that runs out of memory.
func (d *demonstration) tellOnce(ctx context.Context) error {
	hero, err := d.casting().find(ctx)
	if err != nil {
		return err
	}

	s := d.fleet.Service(hero)
	had := d.fleet.Allocation(hero)

	d.screen.Blank()
	d.screen.Linef(screen.Heading, "%s (%s, %s) begins to want more memory than it has", s.Key, s.Kind, people(had))

	resized := make(chan size.Size, 1)
	d.platform.follow(s.Key, resized)

	played, err := d.drama(hero).playLive(ctx, d.screen)
	if err != nil {
		return err
	}

	d.screen.Linef(screen.Up, "▲ the agent hears %d ms after the signal: %s is to have %s instead of %s",
		millis(played.took()), s.Key, tidemark.FormatSize(played.decision.GetRecommended()), people(had))
	d.explain(ctx, &played)

	return d.showResize(ctx, hero, resized)
}

// explain says what happened in between, and why.
func (d *demonstration) explain(ctx context.Context, played *outcome) {
	r, err := d.client.Get(ctx, &tidemarkv1.GetRecommendationRequest{
		Service: played.decision.GetService(), View: tidemarkv1.View_VIEW_FULL,
	})
	if err != nil {
		d.screen.Linef(screen.Alarm, "  its explanation cannot be read: %v", err)

		return
	}

	for _, line := range timeline(r, played.sent) {
		d.screen.Linef(screen.Plain, "  %s", line)
	}

	for _, line := range why(r) {
		d.screen.Linef(screen.Plain, "  %s", line)
	}
}

// showResize waits for the new size to come into force, and shows that it helps.
func (d *demonstration) showResize(ctx context.Context, hero int, resized <-chan size.Size) error {
	s := d.fleet.Service(hero)

	select {
	case to := <-resized:
		d.screen.Linef(screen.Good, "the platform has given %s %s", s.Key, people(to))
	case <-time.After(storyPatience):
		return fmt.Errorf("the platform could not resize %s", s.Key)
	case <-ctx.Done():
		return ctx.Err() //nolint:wrapcheck // the caller's own
	}

	if err := pause(ctx, 2*time.Second); err != nil { //nolint:mnd // to be read in peace
		return err
	}

	use := d.fleet.Use(hero, 0, time.Now())
	d.screen.Linef(screen.Good, "  it uses %s of %s now and refuses nothing any more",
		tidemark.FormatMemory(int64(use.ResidentBytes)), tidemark.FormatMemory(d.fleet.Allocation(hero).MemoryBytes))

	return nil
}

// pause waits, less when ctx ends.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err() //nolint:wrapcheck // the caller's own
	}
}

// people shows a size as people write it.
func people(s size.Size) string {
	return tidemark.FormatSize(&tidemarkv1.Size{CpuMillis: s.CPUMillis, MemoryBytes: s.MemoryBytes, Replicas: s.Replicas})
}
