package main

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	"github.com/tidemark-project/tidemark/clients/tidemark"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/recommender/size"
	"github.com/tidemark-project/tidemark/recommender/usage"
	"github.com/tidemark-project/tidemark/server"
	"github.com/tidemark-project/tidemark/server/store"
)

// keptStore outlives the servers whose memory it is, as a database does.
type keptStore struct{ *store.Memory }

// Close leaves it open.
func (keptStore) Close() error { return nil }

// sizes is what services have; reading it hangs while it is told so.
type sizes struct {
	millis atomic.Int64
	hangs  atomic.Bool
}

// Snapshot implements worker.Usage.
func (m *sizes) Snapshot(ctx context.Context, service string, _ usage.Request) (usage.Snapshot, error) {
	if m.hangs.Load() {
		<-ctx.Done()

		return usage.Snapshot{}, ctx.Err()
	}

	return usage.Snapshot{
		Service: service, Allocation: size.Size{CPUMillis: m.millis.Load(), MemoryBytes: 1 << 30}, NewestSample: time.Now(),
	}, nil
}

// succession is one whole server after the other, at one place.
type succession struct {
	here  place
	store *store.Memory
	sizes sizes
	stop  func()
}

func (s *succession) start(t *testing.T) {
	t.Helper()

	config := server.DefaultConfig()
	config.HTTPListen = ""
	config.Worker.Expiry = modelExpiry

	complete, err := config.Complete(t.Context(), server.Dependencies{
		Usage: &s.sizes, Inventory: twoServices{}, Policies: doubling{}, Store: keptStore{s.store}, Listener: s.here.listen(),
	}, slog.New(slog.DiscardHandler))
	require.NoError(t, err)

	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)

	go func() { done <- complete.Run(ctx) }()

	s.stop = func() {
		cancel()
		require.NoError(t, <-done)
		s.here.leave()
	}
}

// watcher is a follower with a connection of its own, which can be cut.
type watcher struct {
	*follower

	client *tidemark.Client

	mu   sync.Mutex // guards conn
	conn net.Conn
}

func (s *succession) watch(t *testing.T, ctx context.Context, options tidemark.WatchOptions) *watcher {
	t.Helper()

	w := &watcher{}

	var err error

	w.client, err = tidemark.Dial("passthrough:///server", tidemark.WithPlaintext(), tidemark.WithDialOptions(
		grpc.WithContextDialer(func(ctx context.Context, address string) (net.Conn, error) {
			conn, err := s.here.connect(ctx, address)

			w.mu.Lock()
			defer w.mu.Unlock()

			w.conn = conn

			return conn, err
		})))
	require.NoError(t, err)

	w.follower = startFollower(ctx, w.client, options)

	return w
}

func (w *watcher) cut() {
	w.mu.Lock()
	defer w.mu.Unlock()

	if w.conn != nil {
		w.conn.Close() //nolint:errcheck // both ends notice
	}
}

// crowd is many watchers, of which random ones are cut while random services change.
type crowd struct {
	*succession

	watchers []*watcher
	random   *rand.Rand
}

const crowdServices = 30

func (c *crowd) service() string { return fmt.Sprintf("prod/s%d", c.random.IntN(crowdServices)) }

func (c *crowd) cutSome() {
	for _, w := range c.watchers {
		if c.random.IntN(5) == 0 {
			w.cut()
		}
	}
}

// enqueue has services evaluated at another size, over the connection of somebody who is not cut.
func (c *crowd) enqueue(t *testing.T, services int) {
	t.Helper()

	c.sizes.millis.Add(10)

	client, err := c.here.dial()
	require.NoError(t, err)

	defer func() { require.NoError(t, client.Close()) }()

	for range services {
		_, err := client.Enqueue(t.Context(), &tidemarkv1.EnqueueRequest{Service: c.service()})
		require.NoError(t, err)
	}
}

// turmoil is a while of evaluations and cuts.
func (c *crowd) turmoil(t *testing.T) {
	t.Helper()

	for range 20 {
		c.enqueue(t, 5)
		c.cutSome()
		<-time.After(time.Duration(c.random.IntN(2000)) * time.Millisecond)
	}
}

// settle lets everything come to rest, and compares what every watcher holds with the store.
func (c *crowd) settle(t *testing.T) {
	t.Helper()

	<-time.After(10 * time.Second)
	synctest.Wait()

	snapshot, err := c.store.Load(t.Context())
	require.NoError(t, err)
	require.NotEmpty(t, snapshot.Records)

	for _, w := range c.watchers {
		w.matches(t, snapshot.Records)
	}
}

// snapshots is how many each watcher was sent so far.
func (c *crowd) snapshots() []int64 {
	counts := make([]int64, len(c.watchers))
	for i, w := range c.watchers {
		counts[i] = w.snapshots.Load()
	}

	return counts
}

// written commits another value, which is large, and returns its revision.
func written(t *testing.T, to store.Store, service string) int64 {
	t.Helper()

	const bytes = 4 << 10

	before, err := to.Get(t.Context(), service)
	if err != nil {
		require.ErrorIs(t, err, store.ErrNotFound)
	}

	record, err := to.Commit(t.Context(), store.Commit{Changed: true, Previous: before.Revision, Recommendation: &tidemarkv1.Recommendation{
		Service: service, Mode: tidemarkv1.Mode_MODE_ENFORCE, Direction: tidemarkv1.Direction_DIRECTION_UP,
		Recommended: &tidemarkv1.Size{CpuMillis: before.Revision + 1},
		Failure:     &tidemarkv1.Failure{Message: strings.Repeat("x", bytes)},
	}})
	require.NoError(t, err)

	return record.Revision
}

// forget deletes some services without a server, as another one on the same store would.
func (c *crowd) forget(t *testing.T, services int) {
	t.Helper()

	for range services {
		if _, err := c.store.Delete(t.Context(), c.service()); err != nil {
			require.ErrorIs(t, err, store.ErrNotFound)
		}
	}
}

// Fifty watchers, cut at random, while the server is stopped and another takes its place: on the same store each goes on
// with its token, without another snapshot, and ends with the final state, whenever it was written: before, as a wish that
// the first server left to the second, in between, and after.
func TestResumingAcrossARestartMissesNoFinalValue(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)

	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		c := &crowd{succession: &succession{store: store.NewMemory()}, random: rand.New(rand.NewPCG(seed, 0))}
		c.sizes.millis.Store(1000)
		c.start(t)

		for i := range 50 {
			options := tidemark.WatchOptions{}
			if i%3 == 0 {
				options.Filter = &tidemarkv1.RecommendationFilter{Modes: []tidemarkv1.Mode{tidemarkv1.Mode_MODE_ENFORCE}}
			}

			c.watchers = append(c.watchers, c.watch(t, ctx, options))
		}

		written(t, c.store, "prod/gone")
		c.turmoil(t)
		c.settle(t)
		before := c.snapshots()

		// What the first server has accepted and not evaluated when it ends.
		c.sizes.hangs.Store(true)
		c.enqueue(t, 5)
		c.cutSome()
		c.stop()

		work, err := c.store.Work(ctx)
		require.NoError(t, err)
		require.NotEmpty(t, work)

		_, err = c.store.Delete(ctx, "prod/gone") // and it does not come back, as others do
		require.NoError(t, err)
		c.forget(t, 3)
		written(t, c.store, c.service())
		written(t, c.store, "prod/new")
		c.forget(t, 3)
		<-time.After(10 * time.Second)

		c.sizes.hangs.Store(false)
		c.start(t)
		c.turmoil(t)
		c.forget(t, 3)
		c.settle(t)
		require.Equal(t, before, c.snapshots(), "every token was good")

		work, err = c.store.Work(ctx)
		require.NoError(t, err)
		require.Empty(t, work, "and what the first server left has been evaluated")

		// Another store knows nothing of the tokens: what it does not have is gone.
		held := make([]int, len(c.watchers))
		for i, w := range c.watchers {
			held[i] = len(w.held)
		}

		c.stop()
		c.store = store.NewMemory()
		c.start(t)
		c.enqueue(t, 2)
		c.settle(t)

		for i, w := range c.watchers {
			require.EqualValues(t, 1, w.expired.Load())
			require.Equal(t, before[i]+1, w.snapshots.Load())
			require.Less(t, len(w.held), held[i], "the services of the old store have been told as removed")
		}

		cancel()
		c.stop()

		for _, w := range c.watchers {
			<-w.done
			require.NoError(t, w.client.Close())
		}
	})
}
