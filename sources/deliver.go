package sources

import (
	"context"
	"log/slog"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// Deliver hands requests over until every one has been accepted or refused for good, however long the server is away. A
// request is sent again only when it was not accepted, after a pause that doubles up to 5 s and is varied by half, or for
// as long as the server asks. While an operator has paused the queue, one request asks every 5 to 10 s whether it still is.
//
// What the server refuses for good is logged, one line per batch, and dropped. So is a request that the server, being
// there, fails on time and again: it must not hold up the others. Trouble with the server itself is logged when it begins
// and when it is over. Nothing is lost without a line in the log.
//
// The error is that of ctx, if it ended before all was handed over, or the server's when it takes nothing from this caller: missing rights, or no such method.
func Deliver(ctx context.Context, logger *slog.Logger, sink Sink, requests []*tidemarkv1.EnqueueRequest) error {
	return newDelivery(logger, sink, requests).run(ctx)
}
