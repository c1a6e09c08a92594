package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/server/store"
	"github.com/tidemark-project/tidemark/server/watch"
)

// crowd is a hub with its readers.
type crowd struct {
	store   *fleet
	hub     *watch.Hub
	reading int

	cancel   context.CancelFunc
	streams  sync.WaitGroup
	running  sync.WaitGroup
	snapped  sync.WaitGroup // until all have their snapshot, or have stalled in it
	finished sync.WaitGroup // until all who read have the last event
	events   atomic.Int64
	delays   []time.Duration // from commit to reader, as the first reader saw them
	problems chan error
}

// openCrowd lets so many readers read, and others stall, and returns when all have come that far.
func openCrowd(ctx context.Context, services, reading, stalled int) (*crowd, error) {
	st, err := newFleet(ctx, services)
	if err != nil {
		return nil, err
	}

	ctx, cancel := context.WithCancel(ctx)

	config := watch.DefaultConfig()
	config.SendTimeout = time.Hour
	config.MaxWatchers = reading + stalled + 1

	c := &crowd{
		store: st, hub: watch.New(st, config, slog.New(slog.DiscardHandler)), reading: reading,
		cancel: cancel, problems: make(chan error, reading+stalled+1),
	}

	if err := c.hub.Load(ctx); err != nil {
		cancel()

		return nil, fmt.Errorf("load the hub: %w", err)
	}

	c.running.Go(func() { c.note(c.hub.Run(ctx)) })
	for i := range reading {
		c.start(ctx, c.reads(i == 0))
	}

	for range stalled {
		c.start(ctx, c.stalls(ctx, services/2)) //nolint:mnd // in the middle of the snapshot
	}

	c.snapped.Wait()

	return c, nil
}

func (c *crowd) start(ctx context.Context, send watch.Send) {
	c.snapped.Add(1)
	c.streams.Go(func() { c.note(c.hub.Stream(ctx, &tidemarkv1.WatchRecommendationsRequest{}, send)) })
}

// reads takes everything. One of the readers also notes how long events were on their way.
func (c *crowd) reads(notes bool) watch.Send {
	complete := false

	return func(e *tidemarkv1.WatchRecommendationsResponse) error {
		c.events.Add(1)

		switch r := e.GetRecommendation(); {
		case e.GetEndOfSnapshot() != nil:
			complete = true

			c.snapped.Done()
		case r.GetService() == lastService:
			c.finished.Done()
		case notes && complete && r != nil:
			c.delays = append(c.delays, time.Since(r.GetEvaluateTime().AsTime()))
		}

		return nil
	}
}

// stalls takes so much and then nothing.
func (c *crowd) stalls(ctx context.Context, most int) watch.Send {
	taken := 0

	return func(*tidemarkv1.WatchRecommendationsResponse) error {
		if taken++; taken < most {
			return nil
		}

		c.snapped.Done()
		<-ctx.Done()

		return context.Cause(ctx)
	}
}

// finish makes a last commit and waits until all who read have it, and with it all before.
func (c *crowd) finish(ctx context.Context) error {
	c.finished.Add(c.reading)

	if err := c.store.write(ctx, lastService); err != nil {
		return err
	}

	received := make(chan struct{})

	go func() {
		defer close(received)

		c.finished.Wait()
	}()

	const patience = time.Minute

	select {
	case <-received:
		return nil
	case err := <-c.problems:
		return fmt.Errorf("a stream ended early: %w", err)
	case <-time.After(patience):
		return errLost
	}
}

var errLost = errors.New("the last event did not reach all readers within a minute")

// close ends all streams and the hub.
func (c *crowd) close() error {
	c.cancel()
	c.streams.Wait()
	c.running.Wait()

	if err := c.store.Close(); err != nil {
		return fmt.Errorf("close the store: %w", err)
	}

	return nil
}

// note keeps an end that was not asked for.
func (c *crowd) note(err error) {
	if err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, store.ErrClosed) {
		c.problems <- err
	}
}
