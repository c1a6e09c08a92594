package main

import (
	"context"
	"errors"
	"runtime"
	"time"
)

// footprint is what readers take.
//
//nolint:tagliatelle // as the results of all benchmarks are named
type footprint struct {
	Case string `json:"case"`
	// Readers is how many there are, and Writes how many changes they have lived through.
	Readers int `json:"readers"`
	Writes  int `json:"writes"`
	// BytesPerWatcher is heap and stacks for each.
	BytesPerWatcher float64 `json:"bytes_per_watcher"`
}

// The cases of the memory.
const (
	memoryCrowd   = "a tenth stalled"
	memoryStalled = "all stalled"
	memoryGRPC    = "gRPC, both ends and the connection"
)

// footprints fills hubs with readers, and lets them live through changes: so many, and ten times as many.
func footprints(ctx context.Context, p plan) ([]*footprint, error) {
	alone, err := usedBy(ctx, p, 0, 0)
	if err != nil {
		return nil, err
	}

	var prints []*footprint

	for _, each := range []struct {
		name             string
		reading, stalled int
	}{
		{memoryCrowd, p.readers - p.stalled(), p.stalled()},
		{memoryStalled, 0, p.readers},
	} {
		used, err := usedBy(ctx, p, each.reading, each.stalled)
		if err != nil {
			return nil, err
		}

		for i, writes := range p.lives() {
			prints = append(prints, &footprint{
				Case: each.name, Readers: p.readers, Writes: writes,
				BytesPerWatcher: (used[i] - alone[i]) / float64(p.readers),
			})
		}
	}

	return prints, nil
}

// lives are the numbers of changes after which memory is looked at.
func (p plan) lives() [2]int {
	const longer = 10

	return [2]int{p.writes, longer * p.writes}
}

// usedBy returns what a hub with its store and its readers takes after few and after many changes.
func usedBy(ctx context.Context, p plan, reading, stalled int) (used [2]float64, err error) {
	const pace = 100 * time.Microsecond

	before := inUse()

	c, err := openCrowd(ctx, p.services, reading, stalled)
	if err != nil {
		return used, err
	}

	done := 0

	for i, writes := range p.lives() {
		_, err := c.churn(ctx, writes-done, pace)
		if err == nil {
			err = c.finish(ctx) // what is on its way is not what a reader takes
		}

		if err != nil {
			return used, errors.Join(err, c.close())
		}

		done, used[i] = writes, inUse()-before
	}

	return used, c.close()
}

// inUse returns the bytes of heap and stacks; the second collection frees what the first one found that had to be
// finalised, and shrinks stacks.
func inUse() float64 {
	var stats runtime.MemStats

	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&stats)

	return float64(stats.HeapAlloc + stats.StackInuse)
}
