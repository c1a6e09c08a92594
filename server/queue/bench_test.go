package queue_test

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"time"

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

// BenchmarkCycle measures one item's way through a queue in which the given number of others wait: get, done and add.
// Client-go's plain queue and ours take turns.
func BenchmarkCycle(b *testing.B) {
	const cycles = 10_000

	for _, n := range sizes {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			plain := workqueue.NewTyped[string]()
			ours := benchQueue(b)

			for _, key := range keys(n) {
				plain.Add(key)
				add(b, ours, key)
			}

			compare(b, cycles, func() {
				for range cycles {
					key, _ := plain.Get()
					plain.Done(key)
					plain.Add(key)
				}
			}, func() {
				for range cycles {
					add(b, ours, getAndSucceed(b, ours))
				}
			})
		})
	}
}

// BenchmarkFill measures the same when a new queue is filled with the given number of items and then emptied.
func BenchmarkFill(b *testing.B) {
	for _, n := range sizes {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			keys := keys(n)

			compare(b, n, func() {
				plain := workqueue.NewTyped[string]()
				for _, key := range keys {
					plain.Add(key)
				}

				for range keys {
					key, _ := plain.Get()
					plain.Done(key)
				}
			}, func() {
				ours := benchQueue(b)
				for _, key := range keys {
					add(b, ours, key)
				}

				for range keys {
					getAndSucceed(b, ours)
				}
			})
		})
	}
}

// BenchmarkDuplicateAdd measures the add of a key that waits already, among the given number that do.
func BenchmarkDuplicateAdd(b *testing.B) {
	for _, n := range sizes {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			keys := keys(n)
			plain := workqueue.NewTyped[string]()
			ours := benchQueue(b)

			for _, key := range keys {
				plain.Add(key)
				add(b, ours, key)
			}

			compare(b, n, func() {
				for _, key := range keys {
					plain.Add(key)
				}
			}, func() {
				for _, key := range keys {
					add(b, ours, key)
				}
			})
		})
	}
}

// compare runs both in turns, each of them n operations, and reports the least processor time that one took on average.
// Other work on the machine disturbs that less than the time by the clock.
func compare(b *testing.B, n int, plain, ours func()) {
	b.Helper()

	least := [2]time.Duration{math.MaxInt64, math.MaxInt64}

	for b.Loop() {
		for i, run := range []func(){plain, ours} {
			start := processorTime(b)
			run()

			least[i] = min(least[i], processorTime(b)-start)
		}
	}

	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(least[0])/float64(n), "ns/plain")
	b.ReportMetric(float64(least[1])/float64(n), "ns/ours")
	b.ReportMetric(float64(least[1])/float64(least[0]), "ratio")
}

// processorTime returns the time that the process has used.
func processorTime(tb testing.TB) time.Duration {
	tb.Helper()

	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		tb.Fatal(err)
	}

	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
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
	_, err := q.Enqueue(queue.Request{Service: service, Trigger: queue.Signal, Source: "bench", Detail: "memory"})
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

// BenchmarkBytesPerItem measures what a waiting item takes, its key included, when there are a million.
func BenchmarkBytesPerItem(b *testing.B) {
	var perItem float64
	for b.Loop() {
		perItem = bytesPerItem(b, 1_000_000)
	}

	b.ReportMetric(0, "ns/op")
	b.ReportMetric(perItem, "B/item")
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
