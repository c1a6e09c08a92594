package queue_test

import (
	"context"
	"fmt"
	"runtime"
	"strconv"
	"testing"

	"github.com/tidemark-project/tidemark/server/queue"
)

// keys returns n services of a hundred tenants.
func keys(n int) []string {
	keys := make([]string, n)
	for i := range keys {
		keys[i] = fmt.Sprintf("tenant-%02d/service-%07d", i%100, i)
	}

	return keys
}

var sizes = []int{1_000, 100_000, 1_000_000}

// BenchmarkCycle measures one item's way through a queue in which the given number of others wait: get, done and add. Here
// it is for profiles; bench/queue compares it with others.
func BenchmarkCycle(b *testing.B) {
	for _, n := range sizes {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			q := benchQueue(b)
			for _, key := range keys(n) {
				add(b, q, key)
			}

			for b.Loop() {
				add(b, q, getAndSucceed(b, q))
			}
		})
	}
}

// BenchmarkDuplicateAdd measures the add of a key that waits already, among the given number that do.
func BenchmarkDuplicateAdd(b *testing.B) {
	for _, n := range sizes {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			q, keys := benchQueue(b), keys(n)
			for _, key := range keys {
				add(b, q, key)
			}

			for i := 0; b.Loop(); i++ {
				add(b, q, keys[i%n])
			}
		})
	}
}

// benchQueue returns a queue that starts no timer and therefore need not be closed.
func benchQueue(tb testing.TB) *queue.Queue {
	tb.Helper()

	cfg := queue.Default()
	cfg.MaxItems = 2_000_000

	q, err := queue.New(cfg)
	if err != nil {
		tb.Fatal(err)
	}

	return q
}

// add does not call Helper, which takes longer than an add.
//
//nolint:thelper // see above
func add(tb testing.TB, q *queue.Queue, service string) {
	_, err := q.Enqueue(&queue.Request{Service: service, Trigger: queue.Signal, Source: "bench", Detail: "memory"})
	if err != nil {
		tb.Fatal(err)
	}
}

//nolint:thelper // see add
func getAndSucceed(b *testing.B, q *queue.Queue) string {
	lease, err := q.Get(context.Background())
	if err != nil {
		b.Fatal(err)
	}

	lease.Succeed()

	return lease.Service()
}

func TestBytesPerItem(t *testing.T) {
	const most = 250

	if perItem := bytesPerItem(t, 100_000); perItem > most {
		t.Errorf("a waiting item takes %.1f bytes, want %d at most", perItem, most)
	}
}

func bytesPerItem(tb testing.TB, items int) float64 {
	tb.Helper()

	before := heap()
	q := benchQueue(tb)

	for i := range items {
		add(tb, q, fmt.Sprintf("tenant-%02d/service-%07d", i%100, i))
	}

	after := heap()
	runtime.KeepAlive(q)

	return (float64(after) - float64(before)) / float64(items)
}

func heap() uint64 {
	var stats runtime.MemStats

	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&stats)

	return stats.HeapAlloc
}
