package queue_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"k8s.io/client-go/util/workqueue"

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

// BenchmarkCycle measures one item's way through a queue that holds the given number: add, get, done.
func BenchmarkCycle(b *testing.B) {
	for _, n := range sizes {
		keys := keys(n)

		b.Run(fmt.Sprintf("plain/%d", n), func(b *testing.B) { cyclePlain(b, keys) })
		b.Run(fmt.Sprintf("tidemark/%d", n), func(b *testing.B) { cycleOurs(b, keys) })
	}
}

func cyclePlain(b *testing.B, keys []string) {
	b.ReportAllocs()

	cycles := 0
	for b.Loop() {
		q := workqueue.NewTyped[string]()
		for _, key := range keys {
			q.Add(key)
		}

		for range keys {
			key, _ := q.Get()
			q.Done(key)
		}

		q.ShutDown()

		cycles += len(keys)
	}

	perCycle(b, cycles)
}

func cycleOurs(b *testing.B, keys []string) {
	b.ReportAllocs()

	ctx := context.Background()
	cycles := 0

	for b.Loop() {
		q, err := queue.New(queue.Default())
		if err != nil {
			b.Fatal(err)
		}

		for _, key := range keys {
			_, _ = q.Enqueue(queue.Request{Service: key, Trigger: queue.Signal, Source: "bench", Detail: "memory"})
		}

		for range keys {
			lease, err := q.Get(ctx)
			if err != nil {
				b.Fatal(err)
			}

			lease.Succeed()
		}

		q.Close()

		cycles += len(keys)
	}

	perCycle(b, cycles)
}

// perCycle reports the time of one item instead of that of all.
func perCycle(b *testing.B, cycles int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(cycles), "ns/cycle")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkDuplicateAdd measures an add of a key that waits already.
func BenchmarkDuplicateAdd(b *testing.B) {
	for _, n := range sizes {
		keys := keys(n)

		b.Run(fmt.Sprintf("plain/%d", n), func(b *testing.B) {
			q := workqueue.NewTyped[string]()
			for _, key := range keys {
				q.Add(key)
			}

			b.ReportAllocs()

			for i := 0; b.Loop(); i++ {
				q.Add(keys[i%n])
			}
		})
		b.Run(fmt.Sprintf("tidemark/%d", n), func(b *testing.B) {
			q := newQueue(b)
			for _, key := range keys {
				_, _ = q.Enqueue(queue.Request{Service: key, Trigger: queue.Signal, Source: "bench", Detail: "memory"})
			}

			b.ReportAllocs()

			for i := 0; b.Loop(); i++ {
				_, _ = q.Enqueue(queue.Request{Service: keys[i%n], Trigger: queue.Signal, Source: "bench", Detail: "memory"})
			}
		})
	}
}

// TestBytesPerItem measures what a waiting item takes, its key included, when there are a million.
func TestBytesPerItem(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a gigabyte-second")
	}

	const items, most = 1_000_000, 250

	before := heap()
	q := newQueue(t)

	for i := range items {
		_, err := q.Enqueue(queue.Request{
			Service: fmt.Sprintf("tenant-%02d/service-%07d", i%100, i),
			Trigger: queue.Signal, Source: "bench", Detail: "memory",
		})
		if err != nil {
			t.Fatal(err)
		}
	}

	perItem := float64(heap()-before) / items
	t.Logf("%.1f bytes per waiting item", perItem)

	if perItem > most {
		t.Errorf("a waiting item takes %.1f bytes, want %d at most", perItem, most)
	}

	runtime.KeepAlive(q)
}

func heap() uint64 {
	var stats runtime.MemStats

	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&stats)

	return stats.HeapAlloc
}
