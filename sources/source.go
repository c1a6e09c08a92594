// Package sources holds what turns the outside world into work: each source finds services that need an evaluation and
// hands them to a sink. A source knows nothing of the server's inside and nothing of other sources.
package sources

import (
	"context"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// Sink takes what a source has found. The API's Go client is one.
type Sink interface {
	// BatchEnqueue hands over requests, any number of them, and returns one result for each, in the same order. An error
	// means that none of the results is known and that all should be sent again.
	BatchEnqueue(ctx context.Context, requests []*tidemarkv1.EnqueueRequest) ([]*tidemarkv1.EnqueueResult, error)
}

// Source finds services that need an evaluation.
type Source interface {
	// Run works until the context ends and then returns its error, or earlier when it cannot go on at all. Trouble that
	// may pass (a server or a database that is away) it waits out by itself, and loses nothing meanwhile.
	Run(ctx context.Context, sink Sink) error
}
