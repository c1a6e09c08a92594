package clickhouse

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/tidemark-project/tidemark/sources"
)

const (
	// minBackoff and maxBackoff bound the pause after a poll that failed. Each pause is varied by half.
	minBackoff, maxBackoff = time.Second, 30 * time.Second
)

// Source polls the table of signals. It is a sources.Source whose Run is called once.
type Source struct {
	config Config
	store  store
	logger *slog.Logger

	cursor    *cursor // nil until the server's clock is known
	clockRead span    // when the server's clock was read last, by the local one
	memory    *memory
	trouble   trouble

	wasStale, invalidNoted bool

	mu    sync.Mutex
	stats Stats
}

var _ sources.Source = (*Source)(nil)

// New returns a source that polls through conn, which stays the caller's to close.
func New(config Config, conn Conn, logger *slog.Logger) *Source {
	source := &Source{config: config, logger: logger, memory: newMemory(config.MaxRemembered)}
	source.store = &table{config: config, conn: conn}

	return source
}

// span is a stretch of local time.
type span struct{ start, end time.Time }

// Run polls until the context ends and returns its error. While ClickHouse or the server is away it waits, and then
// makes up for the gap. A signal is delivered once, or more often only after a restart or when ClickHouse's clock went
// back by more than Config.MaxOverlap.
func (s *Source) Run(ctx context.Context, sink sources.Sink) error {
	pause := backoff.NewExponentialBackOff()
	pause.InitialInterval, pause.MaxInterval = minBackoff, maxBackoff
	pause.Reset()

	for last := (time.Time{}); ; {
		start := time.Now()
		s.countPoll(start, last)
		last = start

		storeErr, deliveryErr := s.poll(ctx, sink)
		wait := s.config.PollInterval - time.Since(start)

		switch {
		case ctx.Err() != nil:
			return ctx.Err() //nolint:wrapcheck // the caller's own
		case deliveryErr != nil:
			return deliveryErr
		case storeErr != nil:
			s.count(func(stats *Stats) { stats.Failures++ })
			s.trouble.begin(ctx, s.logger, storeErr)

			wait = pause.NextBackOff()
		default:
			s.trouble.end(ctx, s.logger)
			pause.Reset()
		}

		if err := sleep(ctx, wait); err != nil {
			return err
		}
	}
}

// countPoll counts a poll, and those that should have been between it and the last one.
func (s *Source) countPoll(start, last time.Time) {
	s.count(func(stats *Stats) {
		stats.Polls++

		if !last.IsZero() {
			stats.Missed += max(0, int64(start.Sub(last)/s.config.PollInterval)-1)
		}
	})
}

func sleep(ctx context.Context, wait time.Duration) error {
	timer := time.NewTimer(max(0, wait))
	defer timer.Stop()

	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err() //nolint:wrapcheck // the caller's own
	}
}
