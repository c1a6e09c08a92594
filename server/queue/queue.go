package queue

import (
	"math/rand/v2"
	"sync"
	"time"

	"k8s.io/client-go/util/workqueue"
)

// Queue holds the services that wait for an evaluation. Its methods may be called by any number of goroutines.
type Queue struct {
	cfg Config
	// epoch is the zero of the queue's clock, which counts nanoseconds and never goes back.
	epoch time.Time
	// wake holds a token while there may be something for a waiting Get.
	wake chan struct{}
	// stopping is closed when the queue is drained or closed, closed when it is closed, and idle when nothing runs any
	// more after either.
	stopping, closed, idle chan struct{}

	// mu guards everything below, and comes before the lock of the base queue.
	mu    sync.Mutex
	items map[string]*item
	// tenants are those of the items.
	tenants tenants
	// base hands out what is ready and guards that nothing is handed out twice at a time. It is never shut down: it would
	// drop what it is given then, and what is left must stay in view.
	base    *workqueue.Typed[*item]
	storage *storage
	// delays holds what waits for a time.
	delays minHeap[*item]
	alarm  alarm
	leases leases
	stats  counters
	// stopped means that stopping is closed.
	stopped bool
}

// New returns an empty queue. Close it in the end.
func New(cfg Config) (*Queue, error) {
	if cfg.Rand == nil {
		cfg.Rand = rand.Int64N
	}

	if err := cfg.Validate(); err != nil {
		return nil, err
	}

	ready := newStorage(cfg.Slack)

	return &Queue{
		cfg:      cfg,
		epoch:    time.Now(),
		wake:     make(chan struct{}, 1),
		stopping: make(chan struct{}),
		closed:   make(chan struct{}),
		idle:     make(chan struct{}),
		items:    make(map[string]*item),
		tenants:  make(tenants),
		base:     workqueue.NewTypedWithConfig(workqueue.TypedQueueConfig[*item]{Queue: ready}),
		storage:  ready,
	}, nil
}

// at returns a time by the queue's clock.
func (q *Queue) at(now time.Time) int64 {
	return int64(now.Sub(q.epoch))
}

// timeOf returns a time of the queue's clock as the time of day, by what the day's clock shows now.
func (q *Queue) timeOf(at int64, now time.Time) time.Time {
	return now.Add(time.Duration(at - q.at(now)))
}
