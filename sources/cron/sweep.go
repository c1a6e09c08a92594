package cron

import (
	"context"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/sources"
)

// tick is how often the clock is looked at.
const tick = time.Second

// sweep enqueues what becomes due, until ctx ends.
func (s *Source) sweep(ctx context.Context, sink sources.Sink) error {
	ticker := time.NewTicker(tick)
	defer ticker.Stop()

	// Every slot up to last has been dealt with.
	for last := s.now(); ; {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return ctx.Err() //nolint:wrapcheck // the caller's own
		}

		runs, now := s.due(ctx, last)
		if err := s.enqueue(ctx, sink, runs); err != nil {
			return err
		}

		last = now
	}
}

// now is the wall time, without the monotonic reading, which would hide that the clock was set.
func (s *Source) now() time.Time { return s.config.Now().Round(0) }

// due returns what has become due since last, and up to when slots have been dealt with then.
func (s *Source) due(ctx context.Context, last time.Time) ([]run, time.Time) {
	table := s.inventory.current()
	if table == nil {
		return nil, last
	}

	now := s.now()

	if !s.caughtUp {
		s.caughtUp = true

		return table.all(now), now
	}

	if now.Before(last) {
		return nil, s.setBack(ctx, last, now)
	}

	s.late = false

	runs, skipped := table.between(last, now)
	if skipped > 0 {
		s.skipped.Add(skipped)
		s.logger.WarnContext(ctx, "slots were missed, only the latest of each service is run", "skipped", skipped)
	}

	return runs, now
}

// setBack decides from when slots are run again after the clock was set back. By less than a period: from where it was,
// so that none is run twice. By more: from now on, since the time before must have been wrong, and a service would else go
// without for as long as it was.
func (s *Source) setBack(ctx context.Context, last, now time.Time) time.Time {
	by := last.Sub(now)

	if by > s.config.Period {
		s.logger.WarnContext(ctx, "the clock was set back by more than a period, going on from there", "by", by)

		return now
	}

	if !s.late {
		s.late = true
		s.logger.WarnContext(ctx, "the clock was set back, waiting for the next slot that was not run", "by", by)
	}

	return last
}

func (s *Source) enqueue(ctx context.Context, sink sources.Sink, runs []run) error {
	requests := make([]*tidemarkv1.EnqueueRequest, len(runs))
	for i, r := range runs {
		requests[i] = &tidemarkv1.EnqueueRequest{
			Service:      r.service,
			Trigger:      tidemarkv1.Trigger_TRIGGER_PERIODIC,
			Source:       s.config.Name,
			ObservedTime: timestamppb.New(r.slot),
		}
	}

	return sources.Deliver(ctx, s.logger, sink, requests)
}
