package clickhouse

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/tidemark-project/tidemark/sources"
)

// poll reads what has arrived, window by window until it has caught up, and delivers it. The error of the store may
// pass; that of a delivery is final.
func (s *Source) poll(ctx context.Context, sink sources.Sink) (storeErr, deliveryErr error) {
	if s.cursor == nil {
		start := time.Now()

		now, err := s.store.clock(ctx)
		if err != nil {
			return err, nil
		}

		s.cursor = newCursor(&s.config, now)
		s.clockRead = span{start, time.Now()}
	}

	for behind := true; behind; {
		found, err := s.read(ctx)
		if err != nil {
			return err, nil
		}

		if err := s.deliver(ctx, sink, found); err != nil {
			return nil, err
		}

		behind = s.advance(ctx, found.reading)
	}

	return nil, nil
}

func (s *Source) read(ctx context.Context) (*findings, error) {
	found := newFindings(s.memory)
	found.from, found.to = s.cursor.window()

	start := time.Now()

	now, err := s.store.read(ctx, found.from, found.to, found.add)
	if err != nil {
		return nil, err
	}

	found.now = now
	read := span{start, time.Now()}
	found.leastElapsed, found.mostElapsed = read.start.Sub(s.clockRead.end), read.end.Sub(s.clockRead.start)
	s.clockRead = read
	// The server read its clock somewhere between start and end, and cut off the part of a second, half of one on average.
	offset := now.Add(time.Second / 2).Sub(start.Add(read.end.Sub(start) / 2))

	s.count(func(stats *Stats) {
		stats.Rows += found.rows
		stats.Duplicates += found.duplicates
		stats.ClockOffset = offset.Round(time.Millisecond)
	})

	return found, nil
}

// deliver hands the signals over and remembers them. Those that name no service are only remembered.
func (s *Source) deliver(ctx context.Context, sink sources.Sink, found *findings) error {
	list := requests(found.fresh)

	if len(list) > 0 {
		if err := sources.Deliver(ctx, s.logger, sink, list); err != nil {
			return fmt.Errorf("deliver %d signals: %w", len(found.fresh), err)
		}
	}

	s.memory.add(found.fresh)
	s.memory.add(found.invalid)
	s.noteInvalid(ctx, found.invalid)

	s.count(func(stats *Stats) {
		stats.Signals += int64(len(found.fresh))
		stats.Requests += int64(len(list))
		stats.Invalid += int64(len(found.invalid))
	})

	return nil
}

// advance moves the cursor on and reports whether there is more to read at once.
func (s *Source) advance(ctx context.Context, r reading) bool {
	moved := s.cursor.advance(r)
	forgotten := s.memory.forget(s.cursor.horizon())

	s.noteProgress(ctx, moved, forgotten)

	s.count(func(stats *Stats) {
		if moved.stale {
			stats.Stale++
		}

		stats.Forgotten += int64(forgotten)
		stats.Remembered = len(s.memory.arrival)
		stats.Overlap = s.cursor.overlap
		stats.Watermark = s.cursor.watermark
		stats.LastPoll = r.now
	})

	return moved.behind
}

// noteInvalid logs the first time that rows name no service. The likeliest cause is a view whose column has another name
// than the table's: ClickHouse then fills the table's with the empty text.
func (s *Source) noteInvalid(ctx context.Context, invalid map[signal]int64) {
	if len(invalid) == 0 || s.invalidNoted {
		return
	}

	s.invalidNoted = true

	for example := range invalid {
		s.logger.WarnContext(ctx, "signals that name no service are ignored; more are only counted",
			slog.String("table", s.config.Table), slog.String("service", example.service),
			slog.String("metric", example.metric), slog.Int("signals", len(invalid)))

		return
	}
}

func (s *Source) noteProgress(ctx context.Context, moved progress, forgotten int) {
	if moved.stale != s.wasStale {
		s.wasStale = moved.stale

		if moved.stale {
			s.logger.WarnContext(ctx, "a ClickHouse server is behind, or its clock jumped; more is read again",
				slog.Duration("clock_back", moved.back), slog.Duration("clock_ahead", moved.ahead), slog.Duration("overlap", s.cursor.overlap))
		} else {
			s.logger.InfoContext(ctx, "ClickHouse is not behind any more")
		}
	}

	if moved.expired > 0 {
		s.logger.WarnContext(ctx, "signals have expired before they could be read",
			slog.Duration("span", moved.expired))
	}

	if forgotten > 0 {
		s.logger.WarnContext(ctx, "too many signals to remember; some may be sent twice",
			slog.Int("forgotten", forgotten), slog.Int("limit", s.config.MaxRemembered))
	}
}
