package queue

import (
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Register has a registry read the queue's numbers whenever it is read itself. The labels are bounded: states, triggers
// and outcomes, never services or tenants.
func (q *Queue) Register(registry prometheus.Registerer) error {
	if err := registry.Register(newCollector(q)); err != nil {
		return fmt.Errorf("queue: register metrics: %w", err)
	}

	return nil
}

// collector turns Stats and a Survey into metrics.
type collector struct {
	queue *Queue

	items, ready, oldest, oldestReady                     *prometheus.Desc
	unfinished, longest                                   *prometheus.Desc
	requests, refused, evaluations, gaveUp, jumped, stray *prometheus.Desc
	wait, breaker, trips, paused                          *prometheus.Desc
}

var _ prometheus.Collector = (*collector)(nil)

func newCollector(q *Queue) *collector {
	describe := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc("tidemark_queue_"+name, help, labels, nil)
	}

	return &collector{
		queue:       q,
		items:       describe("items", "Items by state.", "state"),
		requests:    describe("requests_total", "Requests taken, by what became of them.", "trigger", "outcome"),
		refused:     describe("refused_total", "Requests refused because the queue was full, paused or stopping.", "trigger"),
		ready:       describe("ready_items", "Items that wait for a worker, by the trigger that made them due.", "trigger"),
		wait:        describe("wait_seconds", "Time from the first request of each trigger of an item to its first hand-out.", "trigger"),
		evaluations: describe("evaluations_total", "Evaluations by how they ended.", "outcome"),
		gaveUp:      describe("gave_up_total", "Items given up after too many failures."),
		jumped:      describe("backoff_jumped_total", "Runs before the end of a backoff because a person asked."),
		stray:       describe("stray_completions_total", "Completions of evaluations that were completed before."),
		breaker:     describe("breaker_state", "Whether a dependency is there: 0 closed, 1 recovering, 2 probing, 3 open.", "dependency"),
		trips:       describe("breaker_trips_total", "How often a dependency was found missing after it had been there.", "dependency"),
		paused:      describe("paused", "1 while somebody has ordered a pause.", "scope"),
		oldest:      describe("oldest_seconds", "Age of the oldest item that waits, runs or backs off."),
		oldestReady: describe("oldest_ready_seconds", "Age of the oldest item among those that are next for a worker."),
		unfinished:  describe("unfinished_seconds", "Time that the running evaluations have taken so far."),
		longest:     describe("longest_running_seconds", "Time that the longest running evaluation has taken so far."),
	}
}

// Describe sends the descriptions of all metrics.
func (c *collector) Describe(to chan<- *prometheus.Desc) {
	prometheus.DescribeByCollect(c, to)
}

// Collect sends all metrics.
func (c *collector) Collect(to chan<- prometheus.Metric) {
	stats, oldest := c.queue.Stats(), time.Duration(0)
	if came := c.queue.Survey().Oldest; !came.IsZero() {
		oldest = max(0, time.Since(came))
	}

	gauge := func(d *prometheus.Desc, value float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
	}
	count := func(d *prometheus.Desc, value uint64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(value), labels...)
	}

	gauge(c.items, float64(stats.Depth.Waiting), Waiting.String())
	gauge(c.items, float64(stats.Depth.Running), Running.String())
	gauge(c.items, float64(stats.Depth.BackingOff), BackingOff.String())
	gauge(c.items, float64(stats.Depth.Failed), Failed.String())
	gauge(c.oldest, oldest.Seconds())
	gauge(c.oldestReady, stats.Oldest.Seconds())
	gauge(c.unfinished, stats.Unfinished.Seconds())
	gauge(c.longest, stats.Longest.Seconds())

	count(c.evaluations, stats.Succeeded, "succeeded")
	count(c.evaluations, stats.Retried, "retried")
	count(c.evaluations, stats.Failed, "failed")
	count(c.evaluations, stats.Released, "released")
	count(c.evaluations, stats.Unavailable, "unavailable")
	count(c.gaveUp, stats.GaveUp)
	count(c.jumped, stats.Jumped)
	count(c.stray, stats.Stray)

	for _, d := range c.queue.Dependencies() {
		gauge(c.breaker, float64(d.State), d.Name)
		count(c.trips, d.Trips, d.Name)
	}

	paused := [scopeCount]float64{}
	for _, p := range c.queue.Pauses() {
		paused[p.Scope] = 1
	}

	for scope := range Scope(scopeCount) {
		gauge(c.paused, paused[scope], scope.String())
	}

	for _, t := range stats.Triggers {
		trigger := t.Trigger.String()

		gauge(c.ready, float64(t.Ready), trigger)
		count(c.requests, t.Queued, trigger, Queued.String())
		count(c.requests, t.Merged, trigger, Merged.String())
		count(c.requests, t.MovedUp, trigger, MovedUp.String())
		count(c.requests, t.Deferred, trigger, Deferred.String())
		count(c.refused, t.Refused, trigger)
		to <- t.Wait.metric(c.wait, trigger)
	}
}

func (h Histogram) metric(d *prometheus.Desc, labels ...string) prometheus.Metric {
	buckets := make(map[float64]uint64, len(h.Bounds))
	for i, bound := range h.Bounds {
		buckets[bound] = h.Counts[i]
	}

	return prometheus.MustNewConstHistogram(d, h.Count, h.Sum, buckets, labels...)
}
