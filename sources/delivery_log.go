package sources

import (
	"context"
	"time"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// troubled logs that the server does not take everything, once.
func (d *delivery) troubled(ctx context.Context, trouble error) {
	if d.since.IsZero() {
		d.since = time.Now()
		d.logger.WarnContext(ctx, "server unavailable, holding requests", "holding", len(d.wishes), "error", trouble)
	}
}

// recovered logs that the trouble is over, if there was any.
func (d *delivery) recovered(ctx context.Context) {
	if !d.since.IsZero() {
		d.logger.InfoContext(ctx, "server is back", "after", time.Since(d.since).Round(time.Millisecond))
		d.since = time.Time{}
	}
}

// dropped logs that requests of a batch are not sent again.
func (d *delivery) dropped(ctx context.Context, count int, first *tidemarkv1.EnqueueRequest, err error) {
	d.logger.ErrorContext(ctx, "server refused requests, dropping them",
		"dropped", count, "first_service", first.GetService(), "error", err)
}
