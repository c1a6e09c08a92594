package watch

import (
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Register has a registry read the hub's numbers whenever it is read itself. The labels are bounded: results and ends,
// never clients or services.
func (h *Hub) Register(registry prometheus.Registerer) error {
	if err := registry.Register(newCollector(h)); err != nil {
		return fmt.Errorf("watch: register metrics: %w", err)
	}

	return nil
}

// collector turns the hub's numbers into metrics.
type collector struct {
	hub *Hub

	streams, clients, lagRevisions, lagSeconds             *prometheus.Desc
	coalesced, renewals, resumes, ends, snapshots, snapped *prometheus.Desc
}

var _ prometheus.Collector = (*collector)(nil)

func newCollector(h *Hub) *collector {
	describe := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc("tidemark_watch_"+name, help, labels, nil)
	}

	return &collector{
		hub:          h,
		streams:      describe("streams", "Open watch streams."),
		clients:      describe("clients", "Clients with open watch streams."),
		lagRevisions: describe("lag_revisions", "By how many revisions the slowest reader is behind."),
		lagSeconds:   describe("lag_seconds", "Age of the oldest change that a reader has not taken yet."),
		coalesced:    describe("coalesced_total", "Changes that a reader never saw because a newer value took their place."),
		renewals:     describe("renewals_total", "Evaluations whose value was the same and that readers were told of."),
		resumes:      describe("resumes_total", "Resume tokens by what became of them.", "result"),
		ends:         describe("ended_total", "Streams that ended, or were refused, by reason.", "reason"),
		snapshots:    describe("snapshots_total", "Snapshots sent, whole or in part."),
		snapped:      describe("snapshot_bytes_total", "Bytes of recommendations sent in snapshots."),
	}
}

// Describe sends the descriptions of all metrics.
func (c *collector) Describe(to chan<- *prometheus.Desc) {
	prometheus.DescribeByCollect(c, to)
}

// Collect sends all metrics.
func (c *collector) Collect(to chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, value float64) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value)
	}
	count := func(d *prometheus.Desc, value uint64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(value), labels...)
	}

	l := c.hub.standing()
	gauge(c.streams, float64(l.streams))
	gauge(c.clients, float64(l.clients))
	gauge(c.lagRevisions, float64(l.lagRevisions))
	gauge(c.lagSeconds, l.lag.Seconds())

	counts := &c.hub.counts
	count(c.coalesced, counts.coalesced.Load())
	count(c.renewals, counts.renewals.Load())
	count(c.snapshots, counts.snapshots.Load())
	count(c.snapped, counts.snapshotBytes.Load())

	for result := range resumeResults {
		count(c.resumes, counts.resumes[result].Load(), result.String())
	}

	for end := range streamEnds {
		count(c.ends, counts.ends[end].Load(), end.String())
	}
}

// standing is how the readers stand at a moment.
type standing struct {
	streams, clients int
	lagRevisions     int64         // of the slowest reader
	lag              time.Duration // age of the oldest change that is owed to one
}

func (h *Hub) standing() standing {
	h.mu.RLock()
	defer h.mu.RUnlock()

	l := standing{streams: len(h.readers.open), clients: len(h.readers.clients)}
	now := time.Now()

	for s := range h.readers.open {
		revisions, age := s.lag(h.head, now)
		l.lagRevisions, l.lag = max(l.lagRevisions, revisions), max(l.lag, age)
	}

	return l
}
