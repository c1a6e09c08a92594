package main

import (
	"context"
	"fmt"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"

	"github.com/tidemark-project/tidemark/server/queue"
)

// contender is one of the queues that are compared.
type contender struct {
	name string
	// open makes an empty queue with room for so many items.
	open func(items int) (subject, error)
}

// subject is a queue under test. All are without metrics of their own but ours, which has no form without.
type subject interface {
	// add wants a key to be worked on.
	add(key string)
	// take waits for a key and completes it at once; it returns false when the queue is closed.
	take() (string, bool)
	// settle returns when everything that was added has arrived.
	settle()
	// close ends every take. It may be called again.
	close()
}

// The names of the contenders.
const (
	plainName    = "workqueue"
	limitedName  = "rate-limiting workqueue"
	oursName     = "tidemark"
	priorityName = "priorityqueue"
	// mixedOursName and mixedPriorityName get keys of three urgencies, so that the order is not that of arrival.
	mixedOursName     = "tidemark, 3 triggers"
	mixedPriorityName = "priorityqueue, 3 priorities"
)

// counterpart is which of ours a queue is compared with: the one that gets the same keys.
func counterpart(name string) string {
	if name == mixedOursName || name == mixedPriorityName {
		return mixedOursName
	}

	return oursName
}

func contenders() []contender {
	return []contender{
		{plainName, func(int) (subject, error) { return plain{workqueue.NewTyped[string]()}, nil }},
		{limitedName, openLimited},
		{oursName, openOurs(func(string) queue.Trigger { return queue.Signal })},
		{priorityName, openPriority(false)},
		{mixedOursName, openOurs(triggerOf)},
		{mixedPriorityName, openPriority(true)},
	}
}

// plain is client-go's base queue, without the layers for delays and limits that none of this needs.
type plain struct{ queue *workqueue.Typed[string] }

func (p plain) add(key string) { p.queue.Add(key) }
func (p plain) settle()        {}
func (p plain) close()         { p.queue.ShutDown() }

func (p plain) take() (string, bool) {
	key, closed := p.queue.Get()
	if closed {
		return "", false
	}

	p.queue.Done(key)

	return key, true
}

// limited is client-go's queue as its users have it, who forget the failures of what succeeds.
type limited struct {
	queue workqueue.TypedRateLimitingInterface[string]
}

func openLimited(int) (subject, error) {
	limiter := workqueue.DefaultTypedControllerRateLimiter[string]()

	return limited{workqueue.NewTypedRateLimitingQueue(limiter)}, nil
}

func (l limited) add(key string) { l.queue.Add(key) }
func (l limited) settle()        {}
func (l limited) close()         { l.queue.ShutDown() }

func (l limited) take() (string, bool) {
	key, closed := l.queue.Get()
	if closed {
		return "", false
	}

	l.queue.Forget(key)
	l.queue.Done(key)

	return key, true
}

// priority is controller-runtime's queue.
type priority struct {
	queue  priorityqueue.PriorityQueue[string]
	mixed  bool
	closed bool
}

func openPriority(mixed bool) func(int) (subject, error) {
	// An unnamed one keeps no metrics, as the plain one.
	return func(int) (subject, error) { return &priority{queue: priorityqueue.New[string](""), mixed: mixed}, nil }
}

func (p *priority) add(key string) {
	if !p.mixed {
		p.queue.Add(key)

		return
	}

	urgency := int(triggerOf(key))
	p.queue.AddWithOpts(priorityqueue.AddOpts{Priority: &urgency}, key)
}

// close may be called again, unlike ShutDown.
func (p *priority) close() {
	if !p.closed {
		p.closed = true
		p.queue.ShutDown()
	}
}

// settle moves the buffer of added keys into the queue, which Len does.
func (p *priority) settle() { p.queue.Len() }

func (p *priority) take() (string, bool) {
	key, closed := p.queue.Get()
	if closed {
		return "", false
	}

	p.queue.Done(key)

	return key, true
}

// ours is package queue.
type ours struct {
	ctx     context.Context
	queue   *queue.Queue
	trigger func(key string) queue.Trigger
}

func openOurs(trigger func(key string) queue.Trigger) func(items int) (subject, error) {
	return func(items int) (subject, error) {
		config := queue.Default()
		// The last part of the room is closed to all triggers but one.
		config.MaxItems = 2 * items

		q, err := queue.New(config)
		if err != nil {
			return nil, fmt.Errorf("open the queue: %w", err)
		}

		return ours{context.Background(), q, trigger}, nil
	}
}

func (o ours) add(key string) {
	_, err := o.queue.Enqueue(&queue.Request{
		Service: key, Trigger: o.trigger(key), Source: "bench", Detail: "memory",
	})
	if err != nil {
		panic(err) // there is room for every key
	}
}

func (o ours) settle() {}
func (o ours) close()  { o.queue.Close() }

func (o ours) take() (string, bool) {
	lease, err := o.queue.Get(o.ctx)
	if err != nil {
		return "", false
	}

	lease.Succeed()

	return lease.Service(), true
}

// triggerOf chooses by the last digit of the key.
func triggerOf(key string) queue.Trigger {
	switch key[len(key)-1] {
	case '0', '4', '8':
		return queue.Signal
	case '2', '6':
		return queue.Manual
	default:
		return queue.Periodic
	}
}
