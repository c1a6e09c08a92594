package watch

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/server/store"
)

func TestResumingBringsOnlyWhatChanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := store.NewMemory()
		put(t, st, value("prod/a", 1))
		put(t, st, value("prod/b", 1))
		seen := put(t, st, value("prod/c", 1))
		put(t, st, value("prod/b", 2))
		put(t, st, value("prod/b", 3))
		removed := remove(t, st, "prod/c")

		h := newHub(t, st)
		r := open(t, h, all, &request{ResumeToken: encodeToken(st.Epoch(), seen)})

		synctest.Wait()

		got := r.taken()
		require.Equal(t, []string{"prod/b=3", "-prod/c", "end 1"}, texts(got), "removals are no recommendations")
		require.Equal(t, encodeToken(st.Epoch(), removed), got[2].GetResumeToken())
		r.stop()
	})
}

func TestResumingAtTheHeadBringsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := store.NewMemory()
		revision := put(t, st, value("prod/a", 1))
		r := open(t, newHub(t, st), all, &request{ResumeToken: encodeToken(st.Epoch(), revision)})

		synctest.Wait()
		require.Equal(t, []string{"end 0"}, texts(r.taken()))
		r.stop()
	})
}

// The server does not know what a resuming reader was shown: it tells of every change that may concern them.
func TestResumingWithAFilterByValueTellsOfWhatNoLongerMatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := store.NewMemory()
		h := newHub(t, st)
		enforced := &tidemarkv1.RecommendationFilter{
			Tenants: []string{"prod"}, Modes: []tidemarkv1.Mode{tidemarkv1.Mode_MODE_ENFORCE},
		}

		put(t, st, value("prod/left", 1))
		seen := put(t, st, value("prod/later", 1))
		put(t, st, value("prod/left", 1, observeOnly))
		put(t, st, value("dev/other", 1, observeOnly))
		synctest.Wait()

		r := open(t, h, all, &request{Filter: enforced, ResumeToken: encodeToken(st.Epoch(), seen)})

		synctest.Wait()
		require.Equal(t, []string{"-prod/left", "end 0"}, texts(r.taken()))

		put(t, st, value("prod/later", 1, observeOnly))
		synctest.Wait()
		require.Equal(t, []string{"-prod/later"}, texts(r.taken()), "it matched at the token and is taken as shown")
		r.stop()
	})
}

// A reader that resumes under constant change must reach the end of the snapshot all the same.
func TestResumingEndsAtTheHeadItBeganWith(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := store.NewMemory()
		h := newHub(t, st)

		for i := range 10 {
			put(t, st, value(serviceName(i), 1))
		}

		synctest.Wait()

		r := open(t, h, 0, &request{ResumeToken: encodeToken(st.Epoch(), 0)})

		synctest.Wait()

		for range 11 {
			for i := range 10 {
				put(t, st, value(serviceName(100+i), 2))
			}

			r.grant(1)
			synctest.Wait()
		}

		got := texts(r.taken())
		require.Len(t, got, 11)
		require.Equal(t, "end 10", got[10])
		r.stop()
	})
}

func TestTokensThatCannotBeUsed(t *testing.T) {
	st := store.NewMemory()
	put(t, st, value("prod/a", 1))
	revision := put(t, st, value("prod/b", 1))
	h := newHub(t, st)

	for name, token := range map[string]string{
		"malformed":        "nonsense",
		"of another store": encodeToken("other", revision),
		"ahead":            encodeToken(st.Epoch(), revision+1),
	} {
		t.Run(name, func(t *testing.T) {
			var expired TokenError

			err := h.Stream(t.Context(), &request{ResumeToken: token}, nil)
			require.ErrorAs(t, err, &expired)
			require.ErrorContains(t, err, "watch again without it")
		})
	}
}

// A hub on the same store goes on where the one before has ended: nobody needs a new snapshot, whatever was written and
// removed in between, and brings those up to date who were away for longer.
func TestResumingAtAnotherHubOfTheStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := store.NewMemory()
		put(t, st, value("prod/gone", 1))
		put(t, st, value("prod/again", 1))
		first := put(t, st, value("prod/kept", 1))
		remove(t, st, "prod/gone")
		remove(t, st, "prod/again")
		second := put(t, st, value("prod/again", 2))
		_, err := st.Accept(t.Context(), []store.Work{{Service: "prod/wish"}})
		require.NoError(t, err)

		h := newHub(t, st)

		behind := open(t, h, all, &request{ResumeToken: encodeToken(st.Epoch(), first)})
		current := open(t, h, all, &request{ResumeToken: encodeToken(st.Epoch(), second)})

		synctest.Wait()
		require.Equal(t, []string{"-prod/gone", "prod/again=2", "end 1"}, texts(behind.taken()))
		require.Equal(t, []string{"end 0"}, texts(current.taken()))

		put(t, st, value("prod/kept", 2))
		synctest.Wait()
		require.Equal(t, []string{"prod/kept=2"}, texts(behind.taken()))
		require.Equal(t, []string{"prod/kept=2"}, texts(current.taken()))
		behind.stop()
		current.stop()
	})
}

// forgetfulStore no longer knows when services were deleted.
type forgetfulStore struct{ *store.Memory }

func (s forgetfulStore) Load(ctx context.Context) (store.Snapshot, error) {
	snapshot, err := s.Memory.Load(ctx)
	snapshot.Deletions, snapshot.Forgotten = nil, snapshot.Revision

	return snapshot, err
}

func TestATokenFromBeforeTheStoresMemoryOfRemovalsCannotBeUsed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := forgetfulStore{store.NewMemory()}
		seen := put(t, st, value("prod/a", 1))
		head := remove(t, st, "prod/a")
		h := newHub(t, st)

		require.ErrorAs(t, h.Stream(t.Context(), &request{ResumeToken: encodeToken(st.Epoch(), seen)}, nil), new(TokenError))

		r := open(t, h, all, &request{ResumeToken: encodeToken(st.Epoch(), head)})

		synctest.Wait()
		require.Equal(t, []string{"end 0"}, texts(r.taken()))
		r.stop()
	})
}

// More removals than are remembered come from the store: the latest are kept, and who needs others starts again.
func TestMoreRemovalsInTheStoreThanAreRemembered(t *testing.T) {
	st := store.NewMemory()

	var revisions [10]int64
	for i := range revisions {
		put(t, st, value(serviceName(i), 1))
		revisions[i] = remove(t, st, serviceName(i))
	}

	h := New(st, DefaultConfig(), discard)
	h.index.limit = 4
	require.NoError(t, h.Load(t.Context()))
	require.LessOrEqual(t, h.index.tombstones, 4)
	require.Positive(t, h.index.tombstones)
	require.Contains(t, revisions[:], h.index.forgotten)

	for i, revision := range revisions {
		e, known := h.index.services[serviceName(i)]
		require.Equal(t, revision > h.index.forgotten, known)

		if known {
			require.Equal(t, revision, e.revision)
		}
	}
}

// Removals are remembered up to a number; whoever needs an older one must be told to start again.
func TestForgottenRemovals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := store.NewMemory()
		h := newHub(t, st)
		h.index.limit = 4

		for i := range 6 {
			put(t, st, value(serviceName(i), 1))
		}

		synctest.Wait()

		behind := open(t, h, 0, &request{})
		synctest.Wait()

		var revisions [5]int64
		for i := range revisions {
			revisions[i] = remove(t, st, serviceName(i))
		}

		synctest.Wait()

		expired := TokenError{}
		require.ErrorAs(t, h.Stream(t.Context(), &request{ResumeToken: encodeToken(st.Epoch(), revisions[0])}, nil), &expired)

		resumed := open(t, h, all, &request{ResumeToken: encodeToken(st.Epoch(), revisions[2])})

		synctest.Wait()
		require.Equal(t, []string{"-" + serviceName(3), "-" + serviceName(4), "end 0"}, texts(resumed.taken()))
		resumed.stop()

		behind.grant(all)
		synctest.Wait()
		require.True(t, behind.hasEnded())
		require.ErrorAs(t, behind.err, &expired, "a stream that is still in its snapshot has missed removals too")
	})
}
