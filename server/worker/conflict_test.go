package worker

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/server/queue"
	"github.com/tidemark-project/tidemark/server/store"
)

// writeOnce lets somebody else change the record in the moment before the next commit.
func (f *fixture) writeOnce(service string, change func(*tidemarkv1.Recommendation)) {
	f.store.set(func(st *store.Memory, _ store.Commit) error {
		f.store.set(nil)

		before, err := st.Get(f.Context(), service)
		require.NoError(f, err)

		changed := proto.CloneOf(before.Recommendation)
		change(changed)

		_, err = st.Commit(f.Context(), store.Commit{Recommendation: changed, Previous: before.Revision, State: before.State})
		require.NoError(f, err)

		return nil
	})
}

// What others write while an evaluation runs must be in what it commits.
func TestAnEvaluationOverwritesNothingThatItHasNotSeen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t)
		f.enqueue("prod/a", queue.Manual)
		synctest.Wait()

		report := &tidemarkv1.ScalingReport{Revision: 2, Outcome: tidemarkv1.ScalingOutcome_SCALING_OUTCOME_REFUSED}

		f.writeOnce("prod/a", func(r *tidemarkv1.Recommendation) { r.ScalingReport = report })
		f.recommender.need(4000)
		f.enqueue("prod/a", queue.Manual)
		synctest.Wait()

		got := f.recommendation("prod/a")
		require.True(t, proto.Equal(report, got.GetScalingReport()))
		require.EqualValues(t, 4000, got.GetRecommended().GetCpuMillis())
		require.Equal(t, map[string]int{Succeeded: 2}, f.observer.outcomes(), "that is no failure")
	})
}

// The lease is given back before the failure is written down, so the service may have been evaluated again by then: the
// newer result stands.
func TestAFailureDoesNotOverwriteANewerResult(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t)
		f.enqueue("prod/a", queue.Manual)
		synctest.Wait()
		f.usage.fail(errAway)
		f.writeOnce("prod/a", func(r *tidemarkv1.Recommendation) { r.Recommended.CpuMillis = 8000 })
		f.enqueue("prod/a", queue.Signal)
		synctest.Wait()

		got := f.recommendation("prod/a")
		require.EqualValues(t, 8000, got.GetRecommended().GetCpuMillis())
		require.Nil(t, got.GetFailure())
		require.NotContains(t, f.log.String(), "cannot be written down")

		f.usage.set(nil)
		<-time.After(queue.Default().Backoff.Base)
		synctest.Wait()
		require.EqualValues(t, 2000, f.recommendation("prod/a").GetRecommended().GetCpuMillis())
	})
}
