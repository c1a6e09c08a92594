package main

import (
	"context"
	"fmt"
	"time"
)

// sample is nanoseconds for one operation.
type sample struct{ wall, cpu float64 }

// samples are those of one workload, by contender and round.
type samples map[string][]sample

// compareQueues runs all workloads at all sizes.
func compareQueues(ctx context.Context, p plan) ([]*row, error) {
	var rows []*row

	for _, size := range p.sizes {
		k := newKeys(size.keys)

		for _, c := range courses() {
			if c.most > 0 && size.keys > c.most {
				continue
			}

			compared, err := compare(ctx, c, k, size.rounds, p.operations)
			if err != nil {
				return nil, fmt.Errorf("compare queues of %d: %w", size.keys, err)
			}

			rows = append(rows, compared...)
		}
	}

	return rows, nil
}

// compare runs a course with all queues in turns.
func compare(ctx context.Context, c course, k *keys, rounds, operations int) ([]*row, error) {
	all := contenders()
	taken := make([]samples, len(c.workloads))

	for i := range taken {
		taken[i] = make(samples)
	}

	for round := range rounds {
		for i := range all {
			if err := ctx.Err(); err != nil {
				return nil, fmt.Errorf("interrupted: %w", context.Cause(ctx))
			}

			if err := run(c, all[(round+i)%len(all)], k, operations, taken); err != nil {
				return nil, err
			}
		}
	}

	var rows []*row

	for i, w := range c.workloads {
		for _, one := range all {
			r := summarise(w, taken[i][one.name], taken[i][counterpart(one.name)])
			r.Case, r.Size, r.Queue = w.name, len(k.first), one.name
			rows = append(rows, r)
		}
	}

	return rows, nil
}

// run lets one queue do a course and adds to the samples of its workloads.
func run(c course, by contender, k *keys, operations int, taken []samples) error {
	s, err := by.open(len(k.first))
	if err != nil {
		return err
	}
	defer s.close()

	for i, w := range c.workloads {
		done := 0

		took, err := measure(func() { done = w.run(s, k, operations) })
		if err != nil {
			return err
		}

		taken[i][by.name] = append(taken[i][by.name], sample{
			wall: perOperation(took.wall, done), cpu: perOperation(took.cpu, done),
		})
	}

	return nil
}

func perOperation(took time.Duration, operations int) float64 {
	return float64(took) / float64(operations)
}
