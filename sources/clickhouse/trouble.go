package clickhouse

import (
	"context"
	"log/slog"
	"time"
)

// trouble logs when ClickHouse goes away and when it is back, and nothing in between.
type trouble struct {
	since time.Time // zero while all is well
}

func (t *trouble) begin(ctx context.Context, logger *slog.Logger, err error) {
	if !t.since.IsZero() {
		return
	}

	t.since = time.Now()
	logger.WarnContext(ctx, "signals cannot be read; trying on", slog.Any("error", err))
}

func (t *trouble) end(ctx context.Context, logger *slog.Logger) {
	if t.since.IsZero() {
		return
	}

	logger.InfoContext(ctx, "signals are read again", slog.Duration("after", time.Since(t.since)))
	t.since = time.Time{}
}
