package feed

import (
	"context"
	"time"

	"github.com/tidemark-project/tidemark/internal/clickhouseschema"
	"github.com/tidemark-project/tidemark/internal/demo/fleet"
)

const (
	// shards is how many parts the fleet is scraped in, one after the other, so that the load is even.
	shards = 3
	// scrapeTimeout is how long one insert may take; then its samples are lost, as those of any scraper are.
	scrapeTimeout = 10 * time.Second
)

// Scraper writes what the fleet uses, again and again.
type Scraper struct {
	// Writer is where to.
	Writer *Writer
	// Fleet is who.
	Fleet *fleet.Fleet
	// Interval is the time between two samples of a service.
	Interval time.Duration
	// OnInsert hears how each insert went; required.
	OnInsert func(err error)
}

// Run scrapes until ctx ends.
func (s *Scraper) Run(ctx context.Context) {
	ticker := time.NewTicker(s.Interval / shards)
	defer ticker.Stop()

	for shard := 0; ; shard = (shard + 1) % shards {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}

		s.scrape(ctx, shard)
	}
}

// scrape takes one turn. Without samples there is no insert to hear of.
func (s *Scraper) scrape(ctx context.Context, shard int) {
	var (
		r  rows
		at = time.Now()
	)

	for i := shard; i < s.Fleet.Len(); i += shards {
		if !s.Fleet.Claimed(i) {
			addScrape(&r, s.Fleet, i, at)
		}
	}

	if r.len() == 0 {
		return
	}

	inserting, cancel := context.WithTimeout(ctx, scrapeTimeout)
	defer cancel()

	if err := s.Writer.samples(inserting, &r); ctx.Err() == nil {
		s.OnInsert(err)
	}
}

// Scrape writes what one service uses, or used, at some moments, in one insert.
func (w *Writer) Scrape(ctx context.Context, f *fleet.Fleet, i int, moments ...time.Time) error {
	var r rows

	for _, at := range moments {
		addScrape(&r, f, i, at)
	}

	return w.samples(ctx, &r)
}

// addScrape adds what all replicas of a service use at one moment.
func addScrape(r *rows, f *fleet.Fleet, i int, at time.Time) {
	s := f.Service(i)

	for replica, name := range s.Replicas() {
		r.addUse(s.Key, name, at, f.Use(i, replica, at))
	}
}

// throttledSeconds is how long a throttled service was held back since the last sample: plainly a signal.
const throttledSeconds = 5

// Throttled writes that the CPU limit held the first replica of a service back: a signal that changes no size by itself.
func (w *Writer) Throttled(ctx context.Context, s *fleet.Service, at time.Time) error {
	var r rows

	r.add(s.Key, s.Replicas()[0], clickhouseschema.MetricThrottled, at, throttledSeconds)

	return w.samples(ctx, &r)
}
