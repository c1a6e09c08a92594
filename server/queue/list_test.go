package queue_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tidemark-project/tidemark/server/queue"
)

// everything lists by pages of the given size.
func everything(q *queue.Queue, filter queue.Filter, limit int) []string {
	var (
		services []string
		page     queue.Page
	)

	for page.More = true; page.More; {
		page = q.List(filter, page.Next, limit)
		for _, it := range page.Items {
			services = append(services, it.Service)
		}
	}

	return services
}

// mixed returns a queue with items in each state, of which the names say in which order they are due.
func mixed(t *testing.T) *queue.Queue {
	t.Helper()

	q := newQueue(t)

	for _, c := range []struct {
		service string
		end     func(queue.Lease)
	}{
		{"b/9-failed", func(l queue.Lease) { l.Fail(errTrouble) }},
		{"a/8-failed", func(l queue.Lease) { l.Fail(errTrouble) }},
		{"a/1-running", func(queue.Lease) {}},
		{"b/3-backing-off", func(l queue.Lease) { l.Retry(errTrouble) }},
	} {
		enqueue(t, q, c.service, queue.Signal)
		c.end(takeNamed(t, q, c.service))
	}

	enqueue(t, q, "b/7-periodic", queue.Periodic)
	enqueue(t, q, "a/4-postponed", queue.Signal)
	q.Postpone("a/4-postponed", time.Now().Add(time.Minute))
	pass(1)
	enqueue(t, q, "a/2-signal", queue.Signal)

	return q
}

func TestListIsInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := mixed(t)

		for name, c := range map[string]struct {
			filter queue.Filter
			want   []string
		}{
			"all": {queue.Filter{}, []string{
				"a/1-running", "a/2-signal", "b/3-backing-off", "a/4-postponed", "b/7-periodic", "a/8-failed", "b/9-failed",
			}},
			"tenant": {queue.Filter{Tenant: "b"}, []string{"b/3-backing-off", "b/7-periodic", "b/9-failed"}},
			"states": {
				queue.Filter{States: []queue.State{queue.Failed, queue.Running}},
				[]string{"a/1-running", "a/8-failed", "b/9-failed"},
			},
			"both": {
				queue.Filter{States: []queue.State{queue.Waiting}, Tenant: "a"}, []string{"a/2-signal", "a/4-postponed"},
			},
			"nobody": {queue.Filter{Tenant: "nobody"}, nil},
		} {
			for _, limit := range []int{math.MinInt, -1, 0, 1, 2, 3, 6, 7, 8, math.MaxInt} {
				if got := everything(q, c.filter, limit); !slices.Equal(got, c.want) {
					t.Errorf("%s by %d: %v, want %v", name, limit, got, c.want)
				}
			}
		}
	})
}

func TestPagesAreFull(t *testing.T) {
	q := newQueue(t)
	for i := range 1000 {
		enqueue(t, q, fmt.Sprintf("t%d/%d", i%7, i), queue.Triggers()[i%3])
	}

	page := q.List(queue.Filter{}, queue.Position{}, 999)
	if len(page.Items) != 999 || !page.More {
		t.Fatalf("%d items, more: %v; want 999 and more", len(page.Items), page.More)
	}

	last := q.List(queue.Filter{}, page.Next, 999)
	if len(last.Items) != 1 || last.More {
		t.Fatalf("%d items, more: %v; want the last", len(last.Items), last.More)
	}

	if all := q.List(queue.Filter{}, queue.Position{}, 1000); len(all.Items) != 1000 || all.More {
		t.Fatalf("%d items, more: %v; want all", len(all.Items), all.More)
	}
}

// An item that is gone when the next page is read ends nothing, not even when it was the last of its page.
func TestListGoesOnAfterWhatIsGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := mixed(t)
		page := q.List(queue.Filter{}, queue.Position{}, 3)
		q.Forget("b/3-backing-off")
		q.Forget("a/4-postponed")

		if next := q.List(queue.Filter{}, page.Next, 1); len(next.Items) != 1 || next.Items[0].Service != "b/7-periodic" {
			t.Fatalf("%+v, want b/7-periodic", next.Items)
		}
	})
}

func TestTenant(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := mixed(t)
		pass(10 * time.Second)

		// The one that backed off is ready by now, and is the one of b that is next.
		for tenant, want := range map[string]struct {
			depth  queue.Depth
			oldest time.Duration
		}{
			"a":      {queue.Depth{Waiting: 2, Running: 1, Failed: 1}, 10 * time.Second},
			"b":      {queue.Depth{Waiting: 2, Failed: 1}, 10*time.Second + 1},
			"nobody": {},
		} {
			stats, oldest := q.Tenant(tenant)
			if stats != (queue.TenantStats{Tenant: tenant, Depth: want.depth}) || oldest != want.oldest {
				t.Errorf("%+v, %v; want %+v", stats, oldest, want)
			}
		}
	})
}
