package worker

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/twowindow"
	"github.com/tidemark-project/tidemark/recommender/usage"
	"github.com/tidemark-project/tidemark/server/queue"
)

// The real rule, end to end: requests refused for lack of memory raise memory, and say so.
func TestMemoryRejectionsRaiseMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t)
		rule, err := twowindow.New(twowindow.Defaults())
		require.NoError(t, err)

		rejections := int64(0)

		f.usage.set(func(_ context.Context, service string) (usage.Snapshot, error) {
			snapshot := seen(service)
			for _, length := range rule.Needs().Windows {
				snapshot.Windows = append(snapshot.Windows, usage.Window{
					Length: length, Coverage: 1, CPUPeakMillis: 500, MemoryRejections: rejections,
					ResidentMemoryPeakBytes: gibibyte * 8 / 10, ResidentMemoryMedianBytes: gibibyte * 8 / 10,
				})
			}

			return snapshot, nil
		})
		f.recommender.set(rule.Recommend)
		f.enqueue("prod/a", queue.Periodic)
		synctest.Wait()

		steady := f.recommendation("prod/a")
		require.Equal(t, tidemarkv1.Direction_DIRECTION_NONE, steady.GetDirection(), steady)

		rejections = 12

		f.enqueue("prod/a", queue.Signal)
		synctest.Wait()

		raised := f.recommendation("prod/a")
		require.Equal(t, tidemarkv1.Direction_DIRECTION_UP, raised.GetDirection())
		require.InDelta(t, gibibyte*12/10, raised.GetRecommended().GetMemoryBytes(), 1)
		require.Contains(t, raised.GetReasons(), tidemarkv1.Reason_REASON_MEMORY_REJECTED)
		require.Len(t, raised.GetExplanation().GetWindows(), 2)
		require.Equal(t, tidemarkv1.MemoryTerm_MEMORY_TERM_REJECTION,
			raised.GetExplanation().GetWindows()[0].GetMemory().GetTerm())

		record, err := f.store.Get(t.Context(), "prod/a")
		require.NoError(t, err)

		pool := &Pool{logger: discard}
		state := pool.stateOf(t.Context(), record)
		require.Equal(t, time.Now().UTC(), state.Trend.Time.UTC(), "the slot of the periodic evaluation, not of the signal's")
		require.Equal(t, recommender.State{}.Trend.PrevTime, state.Trend.PrevTime)
	})
}
