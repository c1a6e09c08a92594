package queue_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tidemark-project/tidemark/server/queue"
)

func TestMetrics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t)

		registry := prometheus.NewPedanticRegistry()
		if err := q.Register(registry); err != nil {
			t.Fatal(err)
		}

		if err := q.Register(registry); err == nil {
			t.Fatal("registered twice")
		}

		enqueue(t, q, "a/x", queue.Periodic)
		enqueue(t, q, "a/x", queue.Signal)
		enqueue(t, q, "a/x", queue.Signal)
		enqueue(t, q, "b/y", queue.Periodic)
		pass(2 * time.Second)

		lease := take(t, q)
		lease.Retry(errTrouble)
		lease.Succeed()
		enqueue(t, q, "a/x", queue.Periodic)
		pass(3 * time.Second)
		take(t, q)
		pass(4 * time.Second)

		got := gather(t, registry)
		for series, want := range map[string]float64{
			"items{state=waiting}":                              1,
			"items{state=running}":                              1,
			"items{state=backing_off}":                          0,
			"items{state=failed}":                               0,
			"ready_items{trigger=periodic}":                     1,
			"ready_items{trigger=signal}":                       0,
			"oldest_seconds{}":                                  9,
			"oldest_ready_seconds{}":                            9,
			"unfinished_seconds{}":                              4,
			"longest_running_seconds{}":                         4,
			"evaluations_total{outcome=retried}":                1,
			"evaluations_total{outcome=succeeded}":              0,
			"stray_completions_total{}":                         1,
			"backoff_jumped_total{}":                            0,
			"gave_up_total{}":                                   0,
			"refused_total{trigger=manual}":                     0,
			"requests_total{outcome=queued,trigger=periodic}":   2,
			"requests_total{outcome=deferred,trigger=periodic}": 1,
			"requests_total{outcome=merged,trigger=signal}":     1,
			"requests_total{outcome=moved_up,trigger=signal}":   1,
			"wait_seconds{trigger=signal}":                      2,
		} {
			if value, ok := got[series]; !ok || value != want {
				t.Errorf("%s is %v, want %v", series, value, want)
			}
		}

		if len(got) != 39 {
			t.Errorf("%d series, want 39 whatever the queue holds", len(got))
		}
	})
}

// gather returns the values of all series, of histograms the sum.
func gather(t *testing.T, registry prometheus.Gatherer) map[string]float64 {
	t.Helper()

	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}

	values := make(map[string]float64)

	for _, family := range families {
		for _, m := range family.GetMetric() {
			var labels []string
			for _, label := range m.GetLabel() {
				labels = append(labels, label.GetName()+"="+label.GetValue())
			}

			name := strings.TrimPrefix(family.GetName(), "tidemark_queue_") + "{" + strings.Join(labels, ",") + "}"
			values[name] = m.GetGauge().GetValue() + m.GetCounter().GetValue() + m.GetHistogram().GetSampleSum()
		}
	}

	return values
}

func TestWaitTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t)
		enqueue(t, q, "a/x", queue.Signal)
		pass(2 * time.Second)
		take(t, q).Retry(errTrouble)
		pass(time.Second)
		take(t, q).Succeed()

		wait := q.Stats().Triggers[0].Wait
		if wait.Count != 1 || wait.Sum != 2 {
			t.Fatalf("%d waits of %v s, want one of 2 s", wait.Count, wait.Sum)
		}

		if i := slices.Index(wait.Counts, 1); wait.Bounds[i] != 5 {
			t.Fatalf("counted up to %v s, want 5 s", wait.Bounds[i])
		}
	})
}

func TestTenants(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t)

		for _, service := range []string{"a/1", "b/1", "b/2", "b/3", "c/1", "c/2"} {
			enqueue(t, q, service, queue.Signal)
		}

		takeNamed(t, q, "a/1").Succeed()
		takeNamed(t, q, "b/1").Retry(errTrouble)
		takeNamed(t, q, "c/1")

		want := []queue.TenantStats{
			{Tenant: "b", Depth: queue.Depth{Waiting: 2, BackingOff: 1}},
			{Tenant: "c", Depth: queue.Depth{Waiting: 1, Running: 1}},
		}
		if got := q.Tenants(10); !slices.Equal(got, want) {
			t.Fatalf("%+v, want %+v", got, want)
		}

		if got := q.Tenants(1); len(got) != 1 {
			t.Fatalf("%d tenants, want 1", len(got))
		}
	})
}
