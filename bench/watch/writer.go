package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"
)

// round is what a writer met in one case.
type round struct {
	// median and p99 are of the times that commits took, delay is the 99th percentile of the way from commit to reader.
	median, p99, delay time.Duration
	// perSecond is how many events all readers together were sent.
	perSecond float64
}

// The cases of the writer.
const (
	caseAlone   = "no readers"
	caseReading = "nine tenths, all read"
	caseStalled = "the same, and a tenth stalled"
	caseAll     = "all, all read"
)

// crowds says of each case how many read and how many stall.
func (p plan) crowds() map[string][2]int {
	reading := p.readers - p.stalled()

	return map[string][2]int{
		caseAlone: {0, 0}, caseReading: {reading, 0}, caseStalled: {reading, p.stalled()}, caseAll: {p.readers, 0},
	}
}

// measureWriter lets the cases take turns, in an order that changes.
func measureWriter(ctx context.Context, p plan) (map[string][]round, error) {
	rounds := make(map[string][]round)
	cases := []string{caseAlone, caseReading, caseStalled, caseAll}

	for range p.rounds {
		rand.Shuffle(len(cases), func(i, j int) { cases[i], cases[j] = cases[j], cases[i] })

		for _, name := range cases {
			size := p.crowds()[name]

			r, err := writerRound(ctx, p, size[0], size[1])
			if err != nil {
				return nil, fmt.Errorf("writer, %s: %w", name, err)
			}

			rounds[name] = append(rounds[name], r)
		}
	}

	return rounds, nil
}

func writerRound(ctx context.Context, p plan, reading, stalled int) (round, error) {
	c, err := openCrowd(ctx, p.services, reading, stalled)
	if err != nil {
		return round{}, err
	}

	runtime.GC()

	before, began := c.events.Load(), time.Now()

	times, err := c.churn(ctx, p.writes, p.pace)
	if err == nil {
		err = c.finish(ctx)
	}

	took := time.Since(began)

	if err := errors.Join(err, c.close()); err != nil {
		return round{}, err
	}

	return round{
		median: percentile(times, 50), p99: percentile(times, 99), delay: percentile(c.delays, 99),
		perSecond: float64(c.events.Load()-before) / took.Seconds(),
	}, nil
}

// churn commits changes at a pace and returns how long each commit took.
func (c *crowd) churn(ctx context.Context, writes int, pace time.Duration) ([]time.Duration, error) {
	times := make([]time.Duration, 0, writes)

	next := time.NewTicker(pace)
	defer next.Stop()

	for range writes {
		select {
		case <-next.C:
		case <-ctx.Done():
			return nil, fmt.Errorf("write: %w", context.Cause(ctx))
		}

		service := c.store.services[rand.IntN(len(c.store.services))]
		commit := c.store.change(service)
		began := time.Now()

		record, err := c.store.Commit(ctx, commit)

		times = append(times, time.Since(began))

		if err != nil {
			return nil, fmt.Errorf("write %s: %w", service, err)
		}

		c.store.revisions[service] = record.Revision
	}

	return times, nil
}

// percentile returns the time below which so many of a hundred are; 0 for none.
func percentile(times []time.Duration, percent int) time.Duration {
	if len(times) == 0 {
		return 0
	}

	sorted := slices.Sorted(slices.Values(times))

	return sorted[min(len(sorted)-1, len(sorted)*percent/100)] //nolint:mnd // what percent means
}
