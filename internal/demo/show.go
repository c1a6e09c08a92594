package demo

import (
	"context"
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
)

// show plays the story on the screen, and then shows what goes on until ctx ends.
func (d *demonstration) show(ctx context.Context) {
	err := pause(ctx, settleTime)
	if err == nil {
		err = d.withHero(ctx, d.tell)
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

// tell is the story of one service that runs out of memory.
func (d *demonstration) tell(ctx context.Context, hero int) error {
	d.monitor.silence(true)
	defer d.monitor.silence(false)

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

	for _, line := range timeline(played.decision.Recommendation, played.sent) {
		d.screen.Linef(screen.Plain, "  %s", line)
	}

	d.explain(ctx, s.Key)

	return d.showResize(ctx, hero, resized)
}

// explain says why, as anybody can ask the server.
func (d *demonstration) explain(ctx context.Context, service string) {
	r, err := d.client.Get(ctx, &tidemarkv1.GetRecommendationRequest{Service: service, View: tidemarkv1.View_VIEW_FULL})
	if err != nil {
		d.screen.Linef(screen.Alarm, "  its explanation cannot be read: %v", err)

		return
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
