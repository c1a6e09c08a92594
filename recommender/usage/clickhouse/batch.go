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
	failed    map[string]error // by service
	err       error            // of all the others that have no snapshot
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
	if snapshot, ok := b.snapshots[service]; ok {
		return snapshot, nil
	}

	if err := b.failed[service]; err != nil {
		return usage.Snapshot{}, err
	}

	if b.err != nil {
		return usage.Snapshot{}, b.err
	}

	return usage.Snapshot{}, fmt.Errorf("read usage of %s: the reader left it out", service)
}
