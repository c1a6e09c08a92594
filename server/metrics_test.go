package server_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/recommender/usage"
	"github.com/tidemark-project/tidemark/server"
	"github.com/tidemark-project/tidemark/server/worker"
)

// series returns the values of a metric by its only label; of a histogram, how much was observed.
func series(t *testing.T, registry *prometheus.Registry, name string) map[string]uint64 {
	t.Helper()

	families, err := registry.Gather()
	require.NoError(t, err)

	found := make(map[string]uint64)

	for _, family := range families {
		if family.GetName() != name {
			continue
		}

		for _, m := range family.GetMetric() {
			require.Len(t, m.GetLabel(), 1)

			value := uint64(m.GetCounter().GetValue())
			if histogram := m.GetHistogram(); histogram != nil {
				value = histogram.GetSampleCount()
			}

			found[m.GetLabel()[0].GetValue()] = value
		}
	}

	return found
}

// A series that is not there before its first event hides it from whoever looks for a rise.
func TestSeriesAreThereBeforeTheirFirstEvent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := prometheus.NewRegistry()
		runWith(t, quiet(), func(d *server.Dependencies) { d.Registry = registry })

		require.Equal(t, map[string]uint64{"cancelled": 0, "abandoned": 0},
			series(t, registry, "tidemark_evaluations_overdue_total"))
		require.Equal(t, map[string]uint64{"ordered": 0, "gone": 0}, series(t, registry, "tidemark_services_deleted_total"))

		outcomes := series(t, registry, "tidemark_evaluation_duration_seconds")
		require.Len(t, outcomes, len(worker.Outcomes()))
		require.Equal(t, outcomes, series(t, registry, "tidemark_queue_evaluations_total"))
	})
}

// However evaluations end, those who time them and those who count them say the same.
func TestDurationsAndCountsAgree(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := prometheus.NewRegistry()
		s := runWith(t, quiet(), func(d *server.Dependencies) { d.Registry = registry })
		agreed := func(outcome string) {
			t.Helper()
			synctest.Wait()

			durations := series(t, registry, "tidemark_evaluation_duration_seconds")
			require.Equal(t, series(t, registry, "tidemark_queue_evaluations_total"), durations)
			require.Positive(t, durations[outcome], outcome)
		}
		failing := func(err error) { s.usage.set(func(context.Context) error { return err }) }

		s.enqueue(t, "prod/good")
		agreed(worker.Succeeded)

		failing(usage.QueryError{Err: errors.New("malformed"), Permanent: true})
		s.enqueue(t, "prod/malformed")
		agreed(worker.Failed)

		// Until it is given up.
		failing(usage.QueryError{Err: errors.New("too many rows")})
		s.enqueue(t, "prod/large")
		<-time.After(time.Hour)
		agreed(worker.Retried)
		require.EqualValues(t, 2, s.status(t).GetDepth().GetFailed())

		s.usage.set(lasting(time.Minute))
		s.enqueue(t, "prod/cancelled")
		synctest.Wait()

		_, err := s.operators().CancelItem(t.Context(), &tidemarkv1.CancelItemRequest{Service: "prod/cancelled"})
		require.NoError(t, err)
		agreed(worker.Released)

		// The first few fail by themselves, until it is clear whose fault it is.
		failing(errors.New("connection refused"))
		s.recommendMany(t)
		agreed(worker.Unavailable)

		s.usage.set(nil)
		<-time.After(time.Hour)
		agreed(worker.Succeeded)
		require.Zero(t, s.status(t).GetDepth().GetWaiting())
	})
}
