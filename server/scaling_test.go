package server_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/types/known/durationpb"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// events follows a watch after its snapshot and returns what it brings but for heartbeats.
func (r *running) events(t *testing.T) <-chan *tidemarkv1.WatchRecommendationsResponse {
	t.Helper()

	watch, err := r.WatchRecommendations(t.Context(), &tidemarkv1.WatchRecommendationsRequest{})
	require.NoError(t, err)

	events := make(chan *tidemarkv1.WatchRecommendationsResponse, 16)

	go func() {
		for {
			event, err := watch.Recv()
			if err != nil {
				return
			}

			if event.GetRecommendation() != nil || event.GetRemoved() != nil {
				events <- event
			}
		}
	}()

	return events
}

// A refused value stays to be seen and is delivered again, under its revision, when somebody asks for it.
func TestARefusedValueIsDeliveredAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := run(t, quiet())
		events := s.events(t)
		s.enqueue(t, "prod/a")

		first := (<-events).GetRecommendation()

		_, err := s.ReportScaling(t.Context(), &tidemarkv1.ReportScalingRequest{
			Service: "prod/a", Revision: first.GetRevision(), Message: "freeze", Agent: "kube",
			Outcome: tidemarkv1.ScalingOutcome_SCALING_OUTCOME_REFUSED,
		})
		require.NoError(t, err)
		synctest.Wait() // reads see it a moment later

		got, err := s.GetRecommendation(t.Context(), &tidemarkv1.GetRecommendationRequest{Service: "prod/a"})
		require.NoError(t, err)
		require.Equal(t, "freeze", got.GetRecommendation().GetScalingReport().GetMessage())

		_, err = s.Enqueue(t.Context(), &tidemarkv1.EnqueueRequest{
			Service: "prod/a", Trigger: tidemarkv1.Trigger_TRIGGER_PERIODIC,
		})
		require.NoError(t, err)
		<-time.After(time.Minute)
		synctest.Wait()
		require.Empty(t, events, "nobody has asked for it")

		s.enqueue(t, "prod/a")

		again := (<-events).GetRecommendation()
		require.Equal(t, first.GetRevision(), again.GetRevision())
		require.Equal(t, "freeze", again.GetScalingReport().GetMessage())

		_, err = s.ReportScaling(t.Context(), &tidemarkv1.ReportScalingRequest{
			Service: "prod/a", Revision: first.GetRevision(), Resend: true,
			Outcome: tidemarkv1.ScalingOutcome_SCALING_OUTCOME_FAILED,
		})
		require.NoError(t, err)
		require.Equal(t, first.GetRevision(), (<-events).GetRecommendation().GetRevision())
	})
}

// A service that is deleted while it is evaluated is gone for whoever watches, and comes back only when it is enqueued.
func TestADeletedServiceStaysAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := run(t, quiet())
		events := s.events(t)
		s.enqueue(t, "prod/a")
		require.NotNil(t, (<-events).GetRecommendation())

		s.usage.set(func(context.Context) error {
			<-time.After(4 * time.Second) // it does not hear of its cancellation

			return nil
		})
		s.enqueue(t, "prod/a")
		synctest.Wait()

		deleted, err := s.DeleteService(t.Context(), &tidemarkv1.DeleteServiceRequest{Service: "prod/a"})
		require.NoError(t, err)

		removed := (<-events).GetRemoved()
		require.Equal(t, "prod/a", removed.GetService())
		require.Equal(t, deleted.GetRevision(), removed.GetRevision())
		<-time.After(time.Minute)
		synctest.Wait()
		require.Empty(t, events)

		_, err = s.GetRecommendation(t.Context(), &tidemarkv1.GetRecommendationRequest{Service: "prod/a"})
		requireError(t, err, codes.NotFound, tidemarkv1.ErrorReason_ERROR_REASON_RECOMMENDATION_NOT_FOUND)

		_, err = s.DeleteService(t.Context(), &tidemarkv1.DeleteServiceRequest{Service: "prod/a"})
		requireError(t, err, codes.NotFound, tidemarkv1.ErrorReason_ERROR_REASON_SERVICE_NOT_FOUND)

		s.usage.set(nil)
		s.enqueue(t, "prod/a")
		require.Greater(t, (<-events).GetRecommendation().GetRevision(), deleted.GetRevision())
	})
}

func TestErrorsOfScalingOverTheWire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := run(t, quiet())
		report := func(change func(*tidemarkv1.ReportScalingRequest)) error {
			request := &tidemarkv1.ReportScalingRequest{
				Service: "prod/a", Revision: 1, Outcome: tidemarkv1.ScalingOutcome_SCALING_OUTCOME_APPLIED,
			}
			change(request)

			_, err := s.ReportScaling(t.Context(), request)

			return err
		}

		for field, change := range map[string]func(*tidemarkv1.ReportScalingRequest){
			"service":    func(r *tidemarkv1.ReportScalingRequest) { r.Service = "a" },
			"revision":   func(r *tidemarkv1.ReportScalingRequest) { r.Revision = 0 },
			"outcome":    func(r *tidemarkv1.ReportScalingRequest) { r.Outcome = 0 },
			"allocation": func(r *tidemarkv1.ReportScalingRequest) { r.Allocation = &tidemarkv1.Size{CpuMillis: -1} },
		} {
			err := report(change)
			requireError(t, err, codes.InvalidArgument, tidemarkv1.ErrorReason_ERROR_REASON_INVALID_ARGUMENT)
			require.Equal(t, field, detail[*errdetails.BadRequest](t, err).GetFieldViolations()[0].GetField())
		}

		err := report(func(*tidemarkv1.ReportScalingRequest) {})
		requireError(t, err, codes.NotFound, tidemarkv1.ErrorReason_ERROR_REASON_RECOMMENDATION_NOT_FOUND)

		_, err = s.DeleteService(t.Context(), &tidemarkv1.DeleteServiceRequest{Service: "a"})
		requireError(t, err, codes.InvalidArgument, tidemarkv1.ErrorReason_ERROR_REASON_INVALID_ARGUMENT)

		_, err = s.GetObserveReport(t.Context(), &tidemarkv1.GetObserveReportRequest{Period: durationpb.New(169 * time.Hour)})
		requireError(t, err, codes.InvalidArgument, tidemarkv1.ErrorReason_ERROR_REASON_INVALID_ARGUMENT)
	})
}
