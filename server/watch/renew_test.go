package watch

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/types/known/timestamppb"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/server/store"
)

const validity = time.Hour

// valid makes a value that holds for an hour from now on.
func valid(service string) *tidemarkv1.Recommendation {
	return value(service, 1, func(r *tidemarkv1.Recommendation) {
		r.EvaluateTime = timestamppb.Now()
		r.ExpireTime = timestamppb.New(time.Now().Add(validity))
	})
}

// A reader's copy of a value that stays the same for hours must never look expired, whatever the interval of evaluations
// below the validity; and it must not be told more often than is needed.
func TestRenewalsComeInTime(t *testing.T) {
	for _, every := range []time.Duration{time.Minute, 7 * time.Minute, 29 * time.Minute, 31 * time.Minute, 59 * time.Minute} {
		t.Run(every.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const while = 12 * time.Hour

				st := store.NewMemory()
				revision := put(t, st, valid("prod/a"))
				r := open(t, newHub(t, st), all, &request{})

				synctest.Wait()

				held := r.taken()[0].GetRecommendation()
				renewals := 0

				for began := time.Now(); time.Since(began) < while; {
					<-time.After(every)
					require.True(t, time.Now().Before(held.GetExpireTime().AsTime()), "after %s", time.Since(began))
					renew(t, st, valid("prod/a"))
					synctest.Wait()

					for _, e := range r.taken() {
						if e.GetHeartbeat() != nil {
							continue
						}

						require.True(t, e.GetRenewed())
						require.Equal(t, revision, e.GetRecommendation().GetRevision())
						held = e.GetRecommendation()
						renewals++
					}
				}

				require.LessOrEqual(t, renewals, int(while/(validity/2)))
				r.stop()
			})
		})
	}
}

// Who was away while the value was renewed is told when they come back.
func TestResumingBringsRenewals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := store.NewMemory()
		h := newHub(t, st)
		put(t, st, valid("prod/a"))
		seen := put(t, st, valid("prod/b"))

		<-time.After(validity / 2)
		renewed := renew(t, st, valid("prod/a"))
		synctest.Wait()

		r := open(t, h, all, &request{ResumeToken: encodeToken(st.Epoch(), seen)})

		synctest.Wait()

		got := r.taken()
		require.Equal(t, []string{"prod/a=1", "end 1"}, texts(got))
		require.True(t, got[0].GetRenewed())
		require.Equal(t, encodeToken(st.Epoch(), renewed), got[0].GetResumeToken())
		r.stop()
	})
}

// What a reader has never seen is no renewal for them, wherever in the order of changes they stand.
func TestARenewalOfWhatWasNotSeenIsAChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := store.NewMemory()
		h := newHub(t, st)
		before := put(t, st, valid("prod/x"))
		changed := put(t, st, valid("prod/a"))
		between := put(t, st, valid("prod/b"))

		<-time.After(validity / 2)
		renew(t, st, valid("prod/a"))
		synctest.Wait()

		for _, c := range []struct {
			token   int64
			want    []string
			renewed bool
		}{
			{before, []string{"prod/a=1", "prod/b=1", "end 2"}, false},
			{changed, []string{"prod/b=1", "prod/a=1", "end 2"}, true},
			{between, []string{"prod/a=1", "end 1"}, true},
		} {
			r := open(t, h, all, &request{ResumeToken: encodeToken(st.Epoch(), c.token)})

			synctest.Wait()

			got := r.taken()
			require.Equal(t, c.want, texts(got))

			for _, e := range got {
				if e.GetRecommendation().GetService() == "prod/a" {
					require.Equal(t, c.renewed, e.GetRenewed())
					require.Equal(t, changed, e.GetRecommendation().GetRevision())
				}
			}

			r.stop()
		}
	})
}

// A value that is published again without having changed is to be acted on: it is no renewal, and a later renewal does
// not hide it.
func TestAValueThatIsSentAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := store.NewMemory()
		revision := put(t, st, valid("prod/a"))
		h := newHub(t, st)
		reading := open(t, h, all, &request{})

		synctest.Wait()
		reading.taken()
		resend(t, st, valid("prod/a"))
		synctest.Wait()

		got := reading.taken()
		require.Equal(t, []string{"prod/a=1"}, texts(got))
		require.False(t, got[0].GetRenewed())
		require.Equal(t, revision, got[0].GetRecommendation().GetRevision())

		<-time.After(validity / 2)
		renew(t, st, valid("prod/a"))
		synctest.Wait()

		resumed := open(t, h, all, &request{ResumeToken: encodeToken(st.Epoch(), revision)})

		synctest.Wait()

		got = resumed.taken()
		require.Equal(t, []string{"prod/a=1", "end 1"}, texts(got), "once is enough")
		require.False(t, got[0].GetRenewed())
		resumed.stop()
		reading.stop()
	})
}

// resend commits the same value again, to be acted on.
func resend(t *testing.T, st store.Store, r *tidemarkv1.Recommendation) {
	t.Helper()

	before, err := st.Get(t.Context(), r.GetService())
	require.NoError(t, err)

	_, err = st.Commit(t.Context(), store.Commit{Recommendation: r, Resend: true, Previous: before.Revision})
	require.NoError(t, err)
}
