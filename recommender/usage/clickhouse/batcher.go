package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/tidemark-project/tidemark/recommender/usage"
)

// ErrClosed says that a Batcher is used after it was closed.
var ErrClosed = errors.New("the usage batcher is closed")

// BatchReader reads many services at once; a Reader is one.
type BatchReader interface {
	Read(ctx context.Context, services []string, request usage.Request) (map[string]usage.Snapshot, error)
}

// BatcherConfig says how requests are put together.
type BatcherConfig struct {
	// MaxWait is how long a request waits for others at most before its batch is due. It does not wait at all while
	// nothing is being read.
	MaxWait time.Duration `default:"5ms" env:"TIDEMARK_USAGE_BATCH_WAIT" help:"How long a usage request waits for others to share its query." name:"usage-batch-wait"`
	// MaxServices is how many services make a batch full, and due.
	MaxServices int `default:"200" env:"TIDEMARK_USAGE_BATCH_SERVICES" help:"How many services share one usage query." name:"usage-batch-services"`
	// MaxReads bounds the batches that are read at once. While all are under way, a due batch goes on collecting.
	MaxReads int `default:"2" env:"TIDEMARK_USAGE_BATCH_READS" help:"Most usage queries that run at once." name:"usage-batch-reads"`
}

// DefaultBatcherConfig returns what the flags default to.
func DefaultBatcherConfig() BatcherConfig {
	return BatcherConfig{MaxWait: 5 * time.Millisecond, MaxServices: 200, MaxReads: 2}
}

// Validate reports everything that is wrong with the settings.
func (c *BatcherConfig) Validate() error {
	var errs []error

	if c.MaxWait < 0 {
		errs = append(errs, fmt.Errorf("usage-batch-wait: must not be negative, not %s", c.MaxWait))
	}

	if c.MaxServices < 1 {
		errs = append(errs, fmt.Errorf("usage-batch-services: must be at least 1, not %d", c.MaxServices))
	}

	if c.MaxReads < 1 {
		errs = append(errs, fmt.Errorf("usage-batch-reads: must be at least 1, not %d", c.MaxReads))
	}

	return errors.Join(errs...)
}

// Batcher lets many callers that each ask for one service share queries, as far as they ask for the same. It may be used
// by several goroutines at once.
type Batcher struct {
	config BatcherConfig
	reader BatchReader
	base   context.Context //nolint:containedctx // reads belong to no single caller
	close  context.CancelFunc
	reads  sync.WaitGroup

	mu         sync.Mutex
	waiting    []*batch          // not started yet, oldest first
	collecting map[string]*batch // those of them that take callers, by the key of their request
	running    int
	closed     bool
}

// NewBatcher returns a batcher that reads with reader. The caller closes it.
func NewBatcher(config BatcherConfig, reader BatchReader) *Batcher {
	base, cancel := context.WithCancelCause(context.Background())

	return &Batcher{
		config: config, reader: reader, base: base, close: func() { cancel(ErrClosed) }, collecting: map[string]*batch{},
	}
}

// Snapshot returns what is asked for of one service. A caller whose context ends leaves; the others of its batch are not
// touched. An error of the read is the error of all that share it, unless fewer of them can be read at once: then it is the
// error of those alone that cannot be read.
func (b *Batcher) Snapshot(ctx context.Context, service string, request usage.Request) (usage.Snapshot, error) {
	shared, err := b.join(service, request) //nolint:contextcheck // a read belongs to no single caller
	if err != nil {
		return usage.Snapshot{}, err
	}

	select {
	case <-shared.done:
		return shared.result(service)
	case <-ctx.Done():
		b.leave(shared)

		return usage.Snapshot{}, fmt.Errorf("read usage of %s: %w", service, context.Cause(ctx))
	}
}

// Close gives up the reads that are under way, fails their callers with ErrClosed and waits until all have ended.
func (b *Batcher) Close() {
	b.mu.Lock()
	b.closed = true

	for _, waiting := range b.waiting {
		waiting.finish(nil, ErrClosed)
	}

	b.waiting = nil
	clear(b.collecting)
	b.mu.Unlock()

	b.close()
	b.reads.Wait()
}

// join puts a caller into the batch that collects for its request, and starts what is due.
func (b *Batcher) join(service string, request usage.Request) (*batch, error) {
	key := request.Key()

	b.mu.Lock()
	defer b.mu.Unlock()

	if b.closed {
		return nil, ErrClosed
	}

	joined, collects := b.collecting[key]
	if !collects {
		joined = b.open(request, key)
	}

	joined.add(service)

	if len(joined.services) >= b.config.MaxServices {
		joined.due = true

		delete(b.collecting, key)
	}

	b.startDue()

	return joined, nil
}

// open adds a batch that takes callers.
func (b *Batcher) open(request usage.Request, key string) *batch {
	fresh := newBatch(request, key)
	fresh.timer = time.AfterFunc(b.config.MaxWait, func() {
		b.mu.Lock()
		defer b.mu.Unlock()

		fresh.due = true
		b.startDue()
	})
	b.waiting = append(b.waiting, fresh)
	b.collecting[key] = fresh

	return fresh
}

// remove takes a batch out of those that wait.
func (b *Batcher) remove(gone *batch) {
	b.waiting = slices.DeleteFunc(b.waiting, func(waiting *batch) bool { return waiting == gone })

	if b.collecting[gone.key] == gone {
		delete(b.collecting, gone.key)
	}
}

// leave takes a caller out. A batch that nobody waits for any more is given up.
func (b *Batcher) leave(left *batch) {
	b.mu.Lock()
	defer b.mu.Unlock()

	left.callers--
	if left.callers > 0 {
		return
	}

	left.timer.Stop()

	if left.cancel != nil {
		left.cancel()

		return
	}

	b.remove(left)
}

// startDue starts the oldest batches that are due, as many as may run. When nothing runs, there is nothing to wait for.
func (b *Batcher) startDue() {
	for b.running < b.config.MaxReads {
		next := b.next()
		if next == nil {
			return
		}

		b.remove(next)
		b.running++

		next.timer.Stop()

		ctx, cancel := context.WithCancel(b.base)
		next.cancel = cancel

		b.reads.Go(func() { b.read(ctx, next) })
	}
}

// next returns the batch to start; nil when there is none.
func (b *Batcher) next() *batch {
	for _, waiting := range b.waiting {
		if waiting.due || b.running == 0 {
			return waiting
		}
	}

	return nil
}

func (b *Batcher) read(ctx context.Context, reading *batch) {
	snapshots, failed, err := divide(ctx, b.reader, reading.services, reading.request)
	if err != nil && b.base.Err() != nil {
		err = ErrClosed
	}

	b.mu.Lock()
	defer b.mu.Unlock()

	reading.cancel()
	reading.failed = failed
	reading.finish(snapshots, err)

	b.running--
	b.startDue() //nolint:contextcheck // the next read has a context of its own
}
