package queue

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"unique"

	"k8s.io/client-go/util/workqueue"
)

// Queue holds the services that wait for an evaluation. Its methods may be called by any number of goroutines.
type Queue struct {
	// left are the successes that are left to the owner of the lock.
	left atomic.Pointer[left]
	// mu guards everything below up to the settings, and comes before the lock of the base queue. What most calls write to
	// lies beside it, because processors that take turns hand each other every line of their caches that they write to.
	mu sync.Mutex
	// rouse means that a waiting Get is to be woken when the lock is given up.
	rouse bool
	// stopped means that the queue is drained or closed.
	stopped bool
	// gated means that a pause or a breaker may keep items from being handed out.
	gated   bool
	stats   counters
	waiters waiters
	clock   clock
	runs    runs
	// base hands out what is ready and guards that no item is handed out twice at a time. Of its two sets only that of
	// the items in work is used. That of the waiting ones would be another index of a million items beside our own, so
	// items go to the storage directly; they are in it once because an item lies in one place only.
	base    *workqueue.Typed[*item]
	storage *storage
	items   index
	// reserved is the number of items for which there is room to be kept.
	reserved int
	tenants  tenants
	// delays holds what waits for a time.
	delays minHeap[*item]
	alarm  alarm
	// pauses are those in force, and some that have ended.
	pauses [scopeCount]*Pause
	// breakers follow what evaluations need.
	breakers []breaker
	// sources are the latest of each trigger.
	sources [triggerCount]unique.Handle[string]
	rates   rates

	cfg Config
	// closed is closed when the queue is, and idle when nothing runs any more after it was drained or closed.
	closed, idle chan struct{}
	// novel means that the latest request was for a service that had no item, and so that the next may be: a reading of the
	// clock that it will need is taken before the lock.
	novel atomic.Bool
}

// New returns an empty queue. Close it in the end.
func New(cfg Config) (*Queue, error) {
	if cfg.Rand == nil {
		cfg.Rand = rand.Int64N
	}

	if err := cfg.Validate(); err != nil {
		return nil, err
	}

	breakers := make([]breaker, 0, len(cfg.Breaker.Dependencies))
	for _, name := range cfg.Breaker.Dependencies {
		breakers = append(breakers, breaker{name: name})
	}

	q := &Queue{
		cfg:      cfg,
		closed:   make(chan struct{}),
		idle:     make(chan struct{}),
		clock:    newClock(),
		items:    newIndex(),
		tenants:  newTenants(),
		breakers: breakers,
	}
	q.storage = newStorage(cfg.Slack, &q.items.items)
	q.base = workqueue.NewTypedWithConfig(workqueue.TypedQueueConfig[*item]{Queue: q.storage})

	return q, nil
}
