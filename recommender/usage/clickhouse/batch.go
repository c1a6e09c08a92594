package clickhouse

import (
	"context"
	"fmt"
	"time"

	"github.com/tidemark-project/tidemark/recommender/usage"
)

// batch is one shared read. The Batcher's lock guards it until done is closed; from then on nothing changes.
type batch struct {
	request  usage.Request
	key      string
	services []string
	known    map[string]struct{}
	callers  int
	due      bool
	timer    *time.Timer
	cancel   context.CancelFunc // nil until the read starts

	done      chan struct{}
	snapshots map[string]usage.Snapshot
	err       error
}

func newBatch(request usage.Request, key string) *batch {
	return &batch{request: request, key: key, known: map[string]struct{}{}, done: make(chan struct{})}
}

func (b *batch) add(service string) {
	b.callers++

	if _, known := b.known[service]; known {
		return
	}

	b.known[service] = struct{}{}
	b.services = append(b.services, service)
}

func (b *batch) finish(snapshots map[string]usage.Snapshot, err error) {
	b.timer.Stop()

	b.snapshots, b.err = snapshots, err
	close(b.done)
}

func (b *batch) result(service string) (usage.Snapshot, error) {
	if b.err != nil {
		return usage.Snapshot{}, b.err
	}

	snapshot, ok := b.snapshots[service]
	if !ok {
		return usage.Snapshot{}, fmt.Errorf("read usage of %s: the reader left it out", service)
	}

	return snapshot, nil
}
