package main

import (
	"context"
	"fmt"
	"time"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

const (
	anyOutcome = tidemarkv1.EnqueueOutcome_ENQUEUE_OUTCOME_UNSPECIFIED
	queued     = tidemarkv1.EnqueueOutcome_ENQUEUE_OUTCOME_QUEUED
	merged     = tidemarkv1.EnqueueOutcome_ENQUEUE_OUTCOME_MERGED
)

// rate is how much of one kind of call a server bears.
//
//nolint:tagliatelle // as the results of all benchmarks are named
type rate struct {
	// Case is "unary" or "batch", of keys that are "distinct" or "duplicate", or of an "empty handler".
	Case string `json:"case"`
	// PerSecond is services per second, and CPUMicros the processor time of each on both sides; medians of the rounds.
	PerSecond float64 `json:"per_second"`
	CPUMicros float64 `json:"cpu_micros_per_service"`
	// Ratio is the rate as a share of the empty handler's, the median of the rounds; zero for batches.
	Ratio float64 `json:"ratio,omitempty"`
}

// The names of the cases.
const (
	unaryEmpty     = "unary, empty handler"
	unaryDistinct  = "unary, distinct"
	unaryDuplicate = "unary, duplicate"
	batchDistinct  = "batch, distinct"
	batchDuplicate = "batch, duplicate"
)

// measureCalls measures the API.
func measureCalls(ctx context.Context, p plan) ([]*rate, error) {
	unary := make(samples)

	for round := range p.callRounds {
		if err := unaryRound(ctx, p.calls, round, unary); err != nil {
			return nil, err
		}
	}

	batch := make(samples)

	for range p.callRounds {
		if err := batchRound(ctx, p, batch); err != nil {
			return nil, err
		}
	}

	rates := make([]*rate, 0, len(unary)+len(batch))

	for _, name := range []string{unaryEmpty, unaryDistinct, unaryDuplicate} {
		r := newRate(name, unary[name])
		r.Ratio = medianRatio(each(unary[unaryEmpty], wallOf), each(unary[name], wallOf))
		rates = append(rates, r)
	}

	return append(rates, newRate(batchDistinct, batch[batchDistinct]), newRate(batchDuplicate, batch[batchDuplicate])), nil
}

func wallOf(s sample) float64 { return s.wall }

func newRate(name string, rounds []sample) *rate {
	return &rate{
		Case:      name,
		PerSecond: float64(time.Second) / median(each(rounds, wallOf)),
		CPUMicros: median(each(rounds, func(s sample) float64 { return s.cpu })) / float64(time.Microsecond),
	}
}

// unaryRound calls the empty handler and the whole server, each with servers of their own, in an order that changes.
func unaryRound(ctx context.Context, calls, round int, to samples) error {
	k := newKeys(calls)

	empty := func() error {
		return with(ctx, openEmpty, func(t *target) error {
			return t.sample(to, unaryEmpty, calls, func() error { return t.enqueueAll(ctx, k.first, anyOutcome) })
		})
	}
	whole := func() error {
		return with(ctx, openWhole, func(t *target) error {
			return join(
				t.sample(to, unaryDistinct, calls, func() error { return t.enqueueAll(ctx, k.first, queued) }),
				t.sample(to, unaryDuplicate, calls, func() error { return t.enqueueAll(ctx, k.again, merged) }),
			)
		})
	}

	if round%2 == 1 {
		empty, whole = whole, empty
	}

	if err := empty(); err != nil {
		return err
	}

	return whole()
}

// batchRound sends batches to the whole server.
func batchRound(ctx context.Context, p plan, to samples) error {
	services := p.batches * p.batchSize
	k := newKeys(services)
	first, again := batchesOf(k.first, p.batchSize), batchesOf(k.again, p.batchSize)

	return with(ctx, openWhole, func(t *target) error {
		return join(
			t.sample(to, batchDistinct, services, func() error { return t.enqueueBatches(ctx, first, queued) }),
			t.sample(to, batchDuplicate, services, func() error { return t.enqueueBatches(ctx, again, merged) }),
		)
	})
}

// batchesOf makes the calls beforehand: what a client needs for that is not the server's.
func batchesOf(keys []string, size int) []*tidemarkv1.BatchEnqueueRequest {
	var batches []*tidemarkv1.BatchEnqueueRequest

	for at := 0; at < len(keys); at += size {
		batch := &tidemarkv1.BatchEnqueueRequest{}
		for _, key := range keys[at : at+size] {
			batch.Requests = append(batch.Requests, wish(key))
		}

		batches = append(batches, batch)
	}

	return batches
}

// with runs a server for as long as the work takes.
func with(ctx context.Context, open func(context.Context) (*target, error), work func(*target) error) error {
	t, err := open(ctx)
	if err != nil {
		return err
	}

	if err := t.settle(ctx); err != nil {
		return join(err, t.close())
	}

	err = work(t)

	return join(err, t.close())
}

// sample measures calls for so many services.
func (t *target) sample(to samples, name string, services int, call func() error) error {
	var failed error

	took, err := measure(func() { failed = call() })
	if failed != nil || err != nil {
		return fmt.Errorf("%s: %w", name, join(failed, err))
	}

	to[name] = append(to[name], sample{wall: perOperation(took.wall, services), cpu: perOperation(took.cpu, services)})

	return nil
}
