package watch

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/server/store"
)

func TestSnapshotThenLive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := store.NewMemory()
		put(t, st, value("prod/b", 200))
		put(t, st, value("prod/a", 100))

		h := newHub(t, st)
		r := open(t, h, all, &request{})

		synctest.Wait()

		snapshot := r.taken()
		require.Equal(t, []string{"prod/a=100", "prod/b=200", "end 2"}, texts(snapshot), "in the order of keys")
		require.Empty(t, snapshot[0].GetResumeToken(), "no token within a snapshot")
		require.Empty(t, snapshot[1].GetResumeToken())
		require.NotEmpty(t, snapshot[2].GetResumeToken())
		require.EqualValues(t, 2, snapshot[2].GetEndOfSnapshot().GetRevision())

		revision := put(t, st, value("prod/b", 250))

		synctest.Wait()

		live := r.taken()
		require.Equal(t, []string{"prod/b=250"}, texts(live))
		require.Equal(t, revision, live[0].GetRecommendation().GetRevision())
		require.Equal(t, encodeToken(st.Epoch(), revision), live[0].GetResumeToken())

		removed := remove(t, st, "prod/a")

		synctest.Wait()

		live = r.taken()
		require.Equal(t, []string{"-prod/a"}, texts(live))
		require.Equal(t, removed, live[0].GetRemoved().GetRevision())

		r.stop()
	})
}

func TestAnEmptyStoreStillEndsTheSnapshot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, newHub(t, store.NewMemory()), all, &request{})

		synctest.Wait()
		require.Equal(t, []string{"end 0"}, texts(r.taken()))
		r.stop()
	})
}

func TestTheSameValueIsNoEvent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := store.NewMemory()
		revision := put(t, st, value("prod/a", 100))
		h := newHub(t, st)
		r := open(t, h, all, &request{})

		synctest.Wait()
		r.taken()

		renewed := value("prod/a", 100)
		renewed.Failure = &tidemarkv1.Failure{Message: "no usage"}
		written := renew(t, st, renewed)

		synctest.Wait()
		require.Empty(t, r.taken())

		got, err := h.Get("prod/a", tidemarkv1.View_VIEW_BASIC)
		require.NoError(t, err)
		require.Equal(t, "no usage", got.GetFailure().GetMessage(), "who asks sees the renewal")
		require.Equal(t, revision, got.GetRevision())
		require.NoError(t, h.WaitFor(t.Context(), written), "and the head has moved")

		r.stop()
	})
}

func TestChangesOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := store.NewMemory()
		put(t, st, value("prod/a", 100))
		r := open(t, newHub(t, st), all, &request{ChangesOnly: true})

		synctest.Wait()
		require.Equal(t, []string{"end 0"}, texts(r.taken()))

		put(t, st, value("prod/a", 150))
		synctest.Wait()
		require.Equal(t, []string{"prod/a=150"}, texts(r.taken()))
		r.stop()
	})
}

func TestTheViewDecidesWhatIsSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := store.NewMemory()
		put(t, st, value("prod/a", 100))
		h := newHub(t, st)

		for view, full := range map[tidemarkv1.View]bool{
			tidemarkv1.View_VIEW_UNSPECIFIED: false, tidemarkv1.View_VIEW_BASIC: false, tidemarkv1.View_VIEW_FULL: true,
		} {
			r := open(t, h, all, &request{View: view})

			synctest.Wait()

			got := r.taken()[0].GetRecommendation()
			require.Equal(t, full, got.GetExplanation() != nil, view)
			require.Equal(t, full, len(got.GetTriggers()) > 0, view)
			r.stop()
		}
	})
}

// A reader that does not keep up gets what is true when it reads, not what was true in between.
func TestASlowReaderGetsTheLatestValue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := store.NewMemory()
		r := open(t, newHub(t, st), 1, &request{})

		synctest.Wait()

		for i := range int64(100) {
			put(t, st, value("prod/a", i))
			put(t, st, value("prod/b", i))
			synctest.Wait()
		}

		remove(t, st, "prod/b")
		synctest.Wait()
		r.grant(all)
		synctest.Wait()

		// The first two values were with the transport and in the stream's hands when the reader stopped reading.
		require.Equal(t, []string{"end 0", "prod/a=0", "prod/b=0", "prod/a=99", "-prod/b"}, texts(r.taken()))
		r.stop()
	})
}

func TestMoreChangesThanABatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := store.NewMemory()
		r := open(t, newHub(t, st), 1, &request{ChangesOnly: true})

		synctest.Wait()

		const changes = 3*batch + 1
		for i := range changes {
			put(t, st, value(serviceName(i), 1))
		}

		synctest.Wait()
		r.grant(all)
		synctest.Wait()

		seen := make(map[string]int)
		for _, e := range r.taken() {
			seen[e.GetRecommendation().GetService()]++
		}

		delete(seen, "") // the end of the snapshot
		require.Len(t, seen, changes)

		for service, times := range seen {
			require.Equal(t, 1, times, service)
		}

		r.stop()
	})
}
