package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/tidemark-project/tidemark/recommender/usage"
)

// ErrClosed says that a Batcher is used after it was closed.
var ErrClosed = errors.New("the usage batcher is closed")

// BatchReader reads many services at once; a Reader is one.
type BatchReader interface {
	Read(ctx context.Context, services []string, windows []time.Duration) (map[string]usage.Snapshot, error)
}

// BatcherConfig says how requests are put together.
type BatcherConfig struct {
	// Windows are the windows that all snapshots have.
	Windows []time.Duration `kong:"-"`
	// MaxWait is how long a request waits for others at most before its batch is due. It does not wait at all while
	// nothing is being read.
	MaxWait time.Duration `default:"5ms" env:"TIDEMARK_USAGE_BATCH_WAIT" help:"How long a usage request waits for others to share its query." name:"usage-batch-wait"`
	// MaxServices is how many services make a batch full, and due.
	MaxServices int `default:"200" env:"TIDEMARK_USAGE_BATCH_SERVICES" help:"How many services share one usage query." name:"usage-batch-services"`
	// MaxReads bounds the batches that are read at once. While all are under way, a due batch goes on collecting.
	MaxReads int `default:"2" env:"TIDEMARK_USAGE_BATCH_READS" help:"Most usage queries that run at once." name:"usage-batch-reads"`
}

// DefaultBatcherConfig returns what the flags default to, with the windows of 3 and 30 hours.
func DefaultBatcherConfig() BatcherConfig {
	return BatcherConfig{
		Windows:     []time.Duration{3 * time.Hour, 30 * time.Hour},
		MaxWait:     5 * time.Millisecond,
		MaxServices: 200,
		MaxReads:    2,
	}
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

// Batcher lets many callers that each ask for one service share queries. It may be used by several goroutines at once.
type Batcher struct {
	config BatcherConfig
	reader BatchReader
	base   context.Context //nolint:containedctx // reads belong to no single caller
	close  context.CancelFunc
	reads  sync.WaitGroup

	mu      sync.Mutex
	waiting []*batch // not started yet, oldest first; only the last one takes callers
	running int
	closed  bool
}

// NewBatcher returns a batcher that reads with reader. The caller closes it.
func NewBatcher(config BatcherConfig, reader BatchReader) *Batcher {
	base, cancel := context.WithCancelCause(context.Background())

	return &Batcher{config: config, reader: reader, base: base, close: func() { cancel(ErrClosed) }}
}

// Snapshot returns what is known of one service. A caller whose context ends leaves; the others of its batch are not
// touched. An error of the read is the error of all that share it.
func (b *Batcher) Snapshot(ctx context.Context, service string) (usage.Snapshot, error) {
	shared, err := b.join(service) //nolint:contextcheck // a read belongs to no single caller
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
	b.mu.Unlock()

	b.close()
	b.reads.Wait()
}

// join puts a caller into the batch that collects, and starts what is due.
func (b *Batcher) join(service string) (*batch, error) {
	b.mu.Lock()
	defer b.mu.Unlock()

	if b.closed {
		return nil, ErrClosed
	}

	collecting := b.collecting()
	collecting.add(service)
	collecting.due = collecting.due || len(collecting.services) >= b.config.MaxServices

	b.startDue()

	return collecting, nil
}

// collecting returns the batch that takes callers.
func (b *Batcher) collecting() *batch {
	if last := len(b.waiting) - 1; last >= 0 && len(b.waiting[last].services) < b.config.MaxServices {
		return b.waiting[last]
	}

	fresh := newBatch()
	fresh.timer = time.AfterFunc(b.config.MaxWait, func() {
		b.mu.Lock()
		defer b.mu.Unlock()

		fresh.due = true
		b.startDue()
	})
	b.waiting = append(b.waiting, fresh)

	return fresh
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

	for i, waiting := range b.waiting {
		if waiting == left {
			b.waiting = append(b.waiting[:i], b.waiting[i+1:]...)

			return
		}
	}
}

// startDue starts the oldest batches that are due, as many as may run. When nothing runs, there is nothing to wait for.
func (b *Batcher) startDue() {
	for len(b.waiting) > 0 && b.running < b.config.MaxReads && (b.running == 0 || b.waiting[0].due) {
		next := b.waiting[0]
		b.waiting = b.waiting[1:]
		b.running++

		next.timer.Stop()

		ctx, cancel := context.WithCancel(b.base)
		next.cancel = cancel

		b.reads.Go(func() { b.read(ctx, next) })
	}
}

func (b *Batcher) read(ctx context.Context, reading *batch) {
	snapshots, err := b.reader.Read(ctx, reading.services, b.config.Windows)
	if err != nil && b.base.Err() != nil {
		err = ErrClosed
	}

	b.mu.Lock()
	defer b.mu.Unlock()

	reading.cancel()
	reading.finish(snapshots, err)

	b.running--
	b.startDue() //nolint:contextcheck // the next read has a context of its own
}
