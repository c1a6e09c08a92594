package watch

import (
	"context"
	"errors"
	"iter"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/server/store"
)

// lossyStore is a store whose watches can be ended, and whose loading can be held up, so that changes are missed.
type lossyStore struct {
	*store.Memory

	loads   atomic.Int64
	watches atomic.Int64

	mu   sync.Mutex // guards all below
	end  context.CancelCauseFunc
	mute bool          // deletions are not remembered
	held chan struct{} // closed when loading may go on
	fail error         // what loading fails with
}

func newLossyStore() *lossyStore {
	return &lossyStore{Memory: store.NewMemory(), end: func(error) {}}
}

func (s *lossyStore) Watch(ctx context.Context, after int64) iter.Seq2[store.Event, error] {
	s.watches.Add(1)

	ctx, end := context.WithCancelCause(ctx)

	s.mu.Lock()
	s.end = end
	s.mu.Unlock()

	return s.Memory.Watch(ctx, after)
}

func (s *lossyStore) Load(ctx context.Context) (store.Snapshot, error) {
	s.loads.Add(1)
	s.mu.Lock()
	held, fail, mute := s.held, s.fail, s.mute
	s.mu.Unlock()

	if fail != nil {
		return store.Snapshot{}, fail
	}

	if held != nil {
		<-held
	}

	if mute {
		return forgetfulStore{s.Memory}.Load(ctx)
	}

	return s.Memory.Load(ctx)
}

// lose ends the watch with the error and holds up the loading that may follow.
func (s *lossyStore) lose(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()

	s.held = make(chan struct{})
	s.end(err)
}

// heal lets loading go on.
func (s *lossyStore) heal() {
	s.mu.Lock()
	defer s.mu.Unlock()

	close(s.held)
	s.held = nil
}

func (s *lossyStore) failLoading(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()

	s.fail = err
}

// A hub that has missed changes finds them all, removals included, and its readers notice nothing but a delay.
func TestReloadAfterAGap(t *testing.T) {
	for name, mute := range map[string]bool{"of removals that are remembered": false, "of others": true} {
		t.Run(name, func(t *testing.T) { reloadAfterAGap(t, mute) })
	}
}

func reloadAfterAGap(t *testing.T, mute bool) {
	t.Helper()

	synctest.Test(t, func(t *testing.T) {
		st := newLossyStore()
		st.mute = mute

		const services = 2*batch + 10
		for i := range services {
			put(t, st, value(serviceName(i), 1))
		}

		h := newHub(t, st)
		r := open(t, h, all, &request{})

		synctest.Wait()
		require.Len(t, r.taken(), services+1)

		st.lose(store.ErrCompacted)
		synctest.Wait()

		put(t, st, value(serviceName(0), 2))

		// More than a batch of removals, which the hub can only give one and the same revision if they are forgotten.
		for i := 1; i < services; i++ {
			remove(t, st, serviceName(i))
		}

		put(t, st, value("prod/new", 3))
		synctest.Wait()
		require.Empty(t, r.taken())

		st.heal()
		synctest.Wait()

		got := r.taken()
		short := texts(got)
		require.Len(t, short, services+1)
		require.Contains(t, short, serviceName(0)+"=2")
		require.Contains(t, short, "prod/new=3")

		for i := 1; i < services; i++ {
			require.Contains(t, short, "-"+serviceName(i))
		}

		page, _, revision := h.List(nil, tidemarkv1.View_VIEW_BASIC, "", services)
		require.Len(t, page, 2)
		require.NoError(t, h.WaitFor(t.Context(), revision))

		// Wherever the stream had broken: the token of each event brings the rest.
		for i := 0; i < len(got); i += 61 {
			again := open(t, h, all, &request{ResumeToken: got[i].GetResumeToken()})

			synctest.Wait()
			require.Subset(t, texts(again.taken()), short[i+1:])
			again.stop()
		}

		r.stop()
	})
}

// What the watch failed of does not matter: the hub goes on where it was, and does not spin.
func TestAnInterruptedWatchGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := newLossyStore()
		h := newHub(t, st)
		r := open(t, h, all, &request{})

		synctest.Wait()
		r.taken()
		st.lose(errors.New("no leader"))
		synctest.Wait()
		put(t, st, value("prod/a", 1))
		synctest.Wait()
		require.Empty(t, r.taken())

		<-time.After(retryPause)
		synctest.Wait()
		require.Equal(t, []string{"prod/a=1"}, texts(r.taken()))
		require.EqualValues(t, 1, st.loads.Load(), "nothing was missed, so nothing is loaded again")
		r.stop()
	})
}

func TestAHubWhoseStoreFailsDoesNotSpin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := newLossyStore()
		newHub(t, st)
		st.failLoading(errors.New("no leader"))
		synctest.Wait()

		const tries = 10
		for range tries {
			st.lose(store.ErrCompacted)
			<-time.After(retryPause)
			synctest.Wait()
		}

		require.LessOrEqual(t, st.watches.Load(), int64(tries+1))
		require.LessOrEqual(t, st.loads.Load(), int64(tries+1))
	})
}

func TestAClosedStoreEndsTheHub(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := store.NewMemory()
		h := New(st, DefaultConfig(), discard)
		require.NoError(t, h.Load(t.Context()))
		require.NoError(t, st.Close())
		require.ErrorIs(t, h.Run(t.Context()), store.ErrClosed)
		require.ErrorIs(t, h.Load(t.Context()), store.ErrClosed)
	})
}
