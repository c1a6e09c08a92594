package feed

import (
	"context"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tidemark-project/tidemark/internal/demo/fleet"
)

const (
	// History is how far back a seeded fleet was measured: the large window of the two-window rule.
	History = 30 * time.Hour
	// seedBatch is about how many rows one insert has. Larger ones save little and cost memory in the engine.
	seedBatch = 200_000
	// seedWriters is how many inserts are under way at once: one is put together while another is taken in.
	seedWriters = 2
)

// Seed writes the history of the fleet up to now, and then the sizes: a service of which only half is known is not in
// the inventory yet. It returns the number of samples. Progress, which may be nil, hears after each insert how many of
// the services are done.
func (w *Writer) Seed(ctx context.Context, f *fleet.Fleet, now time.Time, progress func(done int)) (int64, error) {
	s := &seeding{writer: w, fleet: f, now: now, progress: progress}

	writers, writing := errgroup.WithContext(ctx)
	for range seedWriters {
		writers.Go(func() error { return s.write(writing) })
	}

	if err := writers.Wait(); err != nil {
		return s.samples.Load(), err
	}

	return s.samples.Load(), w.Allocations(ctx, now, allAllocations(f))
}

// seeding is what the writers share.
type seeding struct {
	writer   *Writer
	fleet    *fleet.Fleet
	now      time.Time
	progress func(done int)

	next, done, samples atomic.Int64
}

// write takes services until there are none left and writes their histories, several in one insert.
func (s *seeding) write(ctx context.Context) error {
	var r rows

	for more := true; more; {
		taken := int64(0)

		for r.reset(); more && r.len() < seedBatch; {
			i := int(s.next.Add(1)) - 1
			if more = i < s.fleet.Len(); more {
				s.addHistory(&r, i)

				taken++
			}
		}

		if err := s.writer.samples(ctx, &r); err != nil {
			return err
		}

		s.samples.Add(int64(r.len()))

		if done := s.done.Add(taken); s.progress != nil {
			s.progress(int(done))
		}
	}

	return nil
}

// addHistory adds all samples of one service, one replica after the other, as they will lie in the table.
func (s *seeding) addHistory(r *rows, i int) {
	service := s.fleet.Service(i)

	for replica, name := range service.Replicas() {
		for at := range service.Samples(s.now.Add(-History), s.now) {
			use := s.fleet.Use(i, replica, at)
			// Work that was refused before anybody looked would be a signal now.
			use.Rejections = 0
			r.addUse(service.Key, name, at, use)
		}
	}
}

func allAllocations(f *fleet.Fleet) []Allocation {
	all := make([]Allocation, f.Len())

	for i := range all {
		s := f.Service(i)
		all[i] = Allocation{Service: s.Key, Size: f.Allocation(i), Labels: s.Labels}
	}

	return all
}
