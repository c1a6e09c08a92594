package sources

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/cenkalti/backoff/v5"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/tidemark-project/tidemark/clients/tidemark"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

const (
	// maxBatch is how many requests one try hands over: as many as the server takes at once.
	maxBatch = 10_000
	// tryTimeout bounds one try, so that a server that hangs is as good as one that is away.
	tryTimeout = 30 * time.Second
	// minPause and maxPause bound the pause before the next try.
	minPause, maxPause = 100 * time.Millisecond, 5 * time.Second
	// maxAskedPause is the longest pause a server may ask for.
	maxAskedPause = time.Minute
	// maxProbePause is the longest pause while the server's queue is paused. The server asks for the rest of that pause, but
	// an operator may end it at any moment.
	maxProbePause = 10 * time.Second
	// maxFaults is how often a server that is there may fail on one request before that is dropped.
	maxFaults = 5
)

var errResultCount = errors.New("the sink broke its contract")

// wish is a request that has been neither accepted nor dropped.
type wish struct {
	request *tidemarkv1.EnqueueRequest
	faults  int // how often the server failed on it
}

// delivery is one call of Deliver.
type delivery struct {
	logger *slog.Logger
	sink   Sink
	wishes []wish
	pause  *backoff.ExponentialBackOff
	since  time.Time // when the trouble began; zero when there is none
	probes bool      // the queue was paused: one request is enough to see whether it still is
}

func newDelivery(logger *slog.Logger, sink Sink, requests []*tidemarkv1.EnqueueRequest) *delivery {
	pause := backoff.NewExponentialBackOff()
	pause.InitialInterval = minPause
	pause.MaxInterval = maxPause
	pause.Multiplier = 2
	pause.Reset()

	wishes := make([]wish, len(requests))
	for i, request := range requests {
		wishes[i].request = request
	}

	return &delivery{logger: logger, sink: sink, wishes: wishes, pause: pause}
}

func (d *delivery) run(ctx context.Context) error {
	for len(d.wishes) > 0 {
		trouble, err := d.try(ctx)

		switch {
		case err != nil:
			return err
		case trouble == nil:
			d.probes = false
			d.recovered(ctx)
		case ctx.Err() != nil:
			return ctx.Err() //nolint:wrapcheck // the caller's own
		default:
			d.troubled(ctx, trouble)

			if err := d.wait(ctx, d.pauseAfter(trouble)); err != nil {
				return err
			}
		}
	}

	return nil
}

// try sends one batch. It returns the trouble that keeps some of it, or an error that ends the delivery.
func (d *delivery) try(ctx context.Context) (trouble, err error) {
	size := min(len(d.wishes), maxBatch)
	if d.probes {
		size = 1
	}

	batch, rest := d.wishes[:size], d.wishes[size:]

	results, err := d.send(ctx, batch)

	switch {
	case err == nil:
	case ctx.Err() != nil:
		return nil, ctx.Err() //nolint:wrapcheck // the caller's own
	case status.Code(err) == codes.InvalidArgument:
		d.dropped(ctx, len(batch), batch[0].request, err)
		d.wishes = rest

		return nil, nil
	case tidemark.Fatal(err):
		return nil, fmt.Errorf("hand over %d requests: %w", len(d.wishes), err)
	default:
		return err, nil
	}

	if len(results) != len(batch) {
		return nil, fmt.Errorf("%w: %d results for %d requests", errResultCount, len(results), len(batch))
	}

	kept, trouble := d.sift(ctx, batch, results)
	if len(kept) < len(batch) {
		d.pause.Reset()
	}

	// What was kept goes to the end, so that it does not hold up the others.
	d.wishes = slices.Concat(rest, kept)

	return trouble, nil
}

func (d *delivery) send(ctx context.Context, batch []wish) ([]*tidemarkv1.EnqueueResult, error) {
	ctx, cancel := context.WithTimeout(ctx, tryTimeout)
	defer cancel()

	requests := make([]*tidemarkv1.EnqueueRequest, len(batch))
	for i := range batch {
		requests[i] = batch[i].request
	}

	return d.sink.BatchEnqueue(ctx, requests)
}

// sift returns what has to be sent again, and the error among those that asks for the longest pause.
func (d *delivery) sift(ctx context.Context, batch []wish, results []*tidemarkv1.EnqueueResult) ([]wish, error) {
	var (
		kept    []wish
		trouble error
		refused int
		first   *tidemarkv1.EnqueueRequest
		refusal error
	)

	for i, result := range results {
		err := status.FromProto(result.GetError()).Err()
		if err == nil {
			continue
		}

		w := batch[i]
		if faulty(err) {
			w.faults++
		}

		if !tidemark.Retryable(err) || w.faults >= maxFaults {
			if refused++; refused == 1 {
				first, refusal = w.request, err
			}

			continue
		}

		if trouble == nil || tidemark.RetryDelay(err) > tidemark.RetryDelay(trouble) {
			trouble = err
		}

		kept = append(kept, w)
	}

	if refused > 0 {
		d.dropped(ctx, refused, first, refusal)
	}

	return kept, trouble
}

// faulty reports that the server failed on the request itself, and was not merely away or too busy.
func faulty(err error) bool {
	switch status.Code(err) {
	case codes.Unavailable, codes.ResourceExhausted, codes.Aborted, codes.DeadlineExceeded, codes.Canceled:
		return false
	default:
		return true
	}
}

// pauseAfter returns how long to wait after the trouble, and decides whether a probe is next.
func (d *delivery) pauseAfter(trouble error) time.Duration {
	pause := min(tidemark.RetryDelay(trouble), maxAskedPause) + d.pause.NextBackOff()

	d.probes = tidemark.HasReason(trouble, tidemarkv1.ErrorReason_ERROR_REASON_QUEUE_PAUSED)
	if d.probes {
		// Varied, so that sources that were refused together do not come back together.
		pause = min(pause, maxProbePause/2+rand.N(maxProbePause/2))
	}

	return pause
}

func (d *delivery) wait(ctx context.Context, pause time.Duration) error {
	timer := time.NewTimer(pause)
	defer timer.Stop()

	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err() //nolint:wrapcheck // the caller's own
	}
}
