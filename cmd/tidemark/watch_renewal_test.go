package main

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/clients/agent"
	"github.com/tidemark-project/tidemark/clients/tidemark"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

const steadyService = "prod/a"

func steadily() int64 { return 1000 }

// evaluate has the service evaluated every so often, until ctx ends.
func evaluate(ctx context.Context, client *tidemark.Client, every time.Duration) {
	for ctx.Err() == nil {
		_, _ = client.Enqueue(ctx, &tidemarkv1.EnqueueRequest{
			Service: steadyService, Trigger: tidemarkv1.Trigger_TRIGGER_SIGNAL, Source: "test",
		})

		select {
		case <-time.After(every):
		case <-ctx.Done():
		}
	}
}

// copyOf is what a reader of the watch keeps, and what it was told in all.
type copyOf struct {
	mu               sync.Mutex
	held             *tidemarkv1.Recommendation
	changes, renewed int
}

// follow keeps what a watch brings until ctx ends.
func (c *copyOf) follow(ctx context.Context, client *tidemark.Client) {
	for event, err := range client.Watch(ctx, tidemark.WatchOptions{}) {
		if err != nil {
			return
		}

		c.mu.Lock()

		switch event.Kind {
		case tidemark.Changed:
			c.held = event.Recommendation
			c.changes++
		case tidemark.Renewed:
			c.held = event.Recommendation
			c.renewed++
		default:
		}

		c.mu.Unlock()
	}
}

// A service whose need stays the same for hours is evaluated again and again, which is no event to act on. Whoever watches
// must know all the time that the value still holds.
func TestACopyOfASteadyValueNeverExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const hours = 6

		client := started(t, steadily)
		ctx, stop := context.WithCancel(t.Context())

		var (
			known   copyOf
			running sync.WaitGroup
		)

		running.Go(func() { known.follow(ctx, client) })
		running.Go(func() { evaluate(ctx, client, 20*time.Minute) })

		for range hours * 60 {
			<-time.After(time.Minute)
			known.mu.Lock()
			require.NotNil(t, known.held)
			require.True(t, time.Now().Before(known.held.GetExpireTime().AsTime()))
			known.mu.Unlock()
		}

		stop()
		running.Wait()

		require.Equal(t, 1, known.changes, "the value came once")
		require.GreaterOrEqual(t, known.renewed, hours)
		require.LessOrEqual(t, known.renewed, 2*hours)

		now, err := client.Get(t.Context(), &tidemarkv1.GetRecommendationRequest{Service: steadyService})
		require.NoError(t, err)
		require.Equal(t, now.GetRevision(), known.held.GetRevision())
	})
}

var errPlatformDown = errors.New("the platform is down")

// platform cannot resize anything for a while.
type platform struct {
	down time.Time // until then

	mu      sync.Mutex
	tried   int
	expired int // attempts with a recommendation that had expired
	applied []time.Time
}

func (p *platform) Apply(_ context.Context, r *tidemarkv1.Recommendation) error {
	p.mu.Lock()
	defer p.mu.Unlock()

	p.tried++

	if !time.Now().Before(r.GetExpireTime().AsTime()) {
		p.expired++
	}

	if time.Now().Before(p.down) {
		return errPlatformDown
	}

	p.applied = append(p.applied, time.Now())

	return nil
}

// An agent whose platform is down for longer than a recommendation holds acts on it when the platform is back, because it
// has been renewed meanwhile: once, and never on anything that has expired.
func TestAnAgentActsOnASteadyValueThatWasRenewed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const outage, after = 3 * time.Hour, 3 * time.Hour

		client := started(t, steadily)
		ctx, stop := context.WithCancel(t.Context())
		began := time.Now()
		broken := &platform{down: began.Add(outage)}
		following := agent.New(agent.Config{Watcher: client, Reader: client, Actuator: broken}, slog.New(slog.DiscardHandler))

		var running sync.WaitGroup

		running.Go(func() { _ = following.Run(ctx) })
		synctest.Wait()
		running.Go(func() { evaluate(ctx, client, 20*time.Minute) })

		<-time.After(outage + after)
		stop()
		running.Wait()

		require.Zero(t, broken.expired)
		require.Greater(t, broken.tried, 100)
		require.Len(t, broken.applied, 1, "once, although the service still has its old size")
		require.Less(t, broken.applied[0].Sub(began), outage+5*time.Minute)
	})
}

// A server that does not evaluate any more, or has lost what it evaluates from, renews nothing: copies expire.
func TestACopyExpiresWhenNothingIsEvaluated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := started(t, steadily)
		ctx, stop := context.WithCancel(t.Context())

		var (
			known   copyOf
			running sync.WaitGroup
		)

		running.Go(func() { known.follow(ctx, client) })
		running.Go(func() { evaluate(ctx, client, 24*time.Hour) })

		<-time.After(2 * time.Hour)
		stop()
		running.Wait()

		require.Zero(t, known.renewed)
		require.True(t, time.Now().After(known.held.GetExpireTime().AsTime()))
	})
}
