package worker

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/recommender/usage"
	"github.com/tidemark-project/tidemark/server/queue"
)

// Watchers select by the labels of the evaluation: other labels are another value, whatever the size.
func TestARecommendationHasTheLabelsOfItsEvaluation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t)

		evaluate := func(team string) *tidemarkv1.Recommendation {
			f.usage.set(func(_ context.Context, service string) (usage.Snapshot, error) {
				s := seen(service)
				s.Labels = map[string]string{"team": team}

				return s, nil
			})
			f.enqueue("prod/a", queue.Manual)
			synctest.Wait()

			return f.recommendation("prod/a")
		}

		first, same, other := evaluate("orders"), evaluate("orders"), evaluate("K\xf6nig")

		require.Equal(t, map[string]string{"team": "orders"}, first.GetLabels())
		require.Equal(t, first.GetRevision(), same.GetRevision())
		require.Equal(t, map[string]string{"team": "K\uFFFDnig"}, other.GetLabels(), "what cannot be sent is replaced")
		require.Greater(t, other.GetRevision(), same.GetRevision())
		require.Equal(t, other.GetRevision(), evaluate("K\xf6nig").GetRevision())

		f.usage.fail(errors.New("out of reach"))
		f.enqueue("prod/a", queue.Manual)
		synctest.Wait()
		require.Equal(t, other.GetLabels(), f.recommendation("prod/a").GetLabels(), "a failure changes nothing")
	})
}

func TestAServiceThatNeverSucceededHasTheInventorysLabels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t)
		f.sizing.labels = map[string]string{"team": "orders"}
		f.recommender.set(nil) // panics

		f.enqueue("prod/a", queue.Manual)
		synctest.Wait()

		got := f.recommendation("prod/a")
		require.Equal(t, tidemarkv1.Status_STATUS_FAILED, got.GetStatus())
		require.Equal(t, f.sizing.labels, got.GetLabels())
	})
}
