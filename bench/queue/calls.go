package main

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// callers is how many calls are under way at once, and batchCallers how many with batches.
const (
	callers      = 64
	batchCallers = 4
)

// errUnexpected is an answer that makes the figures worthless.
var errUnexpected = errors.New("unexpected answer")

// enqueueAll enqueues each key with a call of its own. The outcome is what each must have; unspecified allows for all.
func (t *target) enqueueAll(ctx context.Context, keys []string, want tidemarkv1.EnqueueOutcome) error {
	return t.callAll(ctx, callers, len(keys), func(ctx context.Context, client tidemarkv1.RecommendationServiceClient, i int) error {
		response, err := client.Enqueue(ctx, wish(keys[i]))
		if err != nil {
			return fmt.Errorf("enqueue %s: %w", keys[i], err)
		}

		return check(keys[i], response.GetOutcome(), want)
	})
}

// enqueueBatches sends all batches.
func (t *target) enqueueBatches(
	ctx context.Context, batches []*tidemarkv1.BatchEnqueueRequest, want tidemarkv1.EnqueueOutcome,
) error {
	return t.callAll(ctx, batchCallers, len(batches), func(ctx context.Context, client tidemarkv1.RecommendationServiceClient, i int) error {
		response, err := client.BatchEnqueue(ctx, batches[i])
		if err != nil {
			return fmt.Errorf("enqueue a batch: %w", err)
		}

		for j, result := range response.GetResults() {
			if err := check(batches[i].GetRequests()[j].GetService(), result.GetResponse().GetOutcome(), want); err != nil {
				return err
			}
		}

		return nil
	})
}

// callAll makes that many calls from a number of goroutines, which share the connections.
func (t *target) callAll(
	ctx context.Context, goroutines, calls int,
	call func(context.Context, tidemarkv1.RecommendationServiceClient, int) error,
) error {
	var next atomic.Int64

	all, ctx := errgroup.WithContext(ctx)

	for g := range goroutines {
		client := t.clients[g%len(t.clients)]

		all.Go(func() error {
			for i := int(next.Add(1)) - 1; i < calls; i = int(next.Add(1)) - 1 {
				if err := call(ctx, client, i); err != nil {
					return err
				}
			}

			return nil
		})
	}

	return all.Wait() //nolint:wrapcheck // the call's own
}

func check(service string, got, want tidemarkv1.EnqueueOutcome) error {
	if got == want || want == tidemarkv1.EnqueueOutcome_ENQUEUE_OUTCOME_UNSPECIFIED {
		return nil
	}

	return fmt.Errorf("%w for %s: %s, want %s", errUnexpected, service, got, want)
}
