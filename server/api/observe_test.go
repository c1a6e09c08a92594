package api

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/server/store"
)

func TestTheObserveReportHasDefaults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t)

		for i := range 30 {
			_, err := f.memory.Commit(t.Context(), store.Commit{
				Recommendation: &tidemarkv1.Recommendation{
					Service: fmt.Sprintf("prod/%d", i), Mode: tidemarkv1.Mode_MODE_OBSERVE_ONLY,
					Allocation: &tidemarkv1.Size{CpuMillis: 2000}, Observed: &tidemarkv1.Size{CpuMillis: 1000},
					EvaluateTime: timestamppb.Now(), ExpireTime: timestamppb.New(time.Now().Add(48 * time.Hour)),
				},
				Changed: true,
			})
			require.NoError(t, err)
		}

		synctest.Wait()
		<-time.After(36 * time.Hour)

		report := func(request *tidemarkv1.GetObserveReportRequest) *tidemarkv1.GetObserveReportResponse {
			response, err := f.GetObserveReport(t.Context(), request)
			require.NoError(t, err)

			return response
		}

		day := report(&tidemarkv1.GetObserveReportRequest{})
		require.Len(t, day.GetServices(), 20)
		require.EqualValues(t, 30, day.GetServiceCount())
		require.InDelta(t, 30*24, day.GetTotal().GetSavedCoreHours(), 1e-6)
		require.Equal(t, time.Now().UTC(), day.GetEndTime().AsTime())
		require.Equal(t, time.Now().Add(-24*time.Hour).UTC(), day.GetStartTime().AsTime())

		some := report(&tidemarkv1.GetObserveReportRequest{
			Services: []string{"prod/1", "prod/2"}, Tenants: []string{"prod"}, Period: durationpb.New(time.Hour), Top: 1,
		})
		require.Len(t, some.GetServices(), 1)
		require.InDelta(t, 2, some.GetTotal().GetSavedCoreHours(), 1e-6)
	})
}
