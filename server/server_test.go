package server_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/reflection/grpc_reflection_v1"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// The main job: what is enqueued is evaluated, kept, given out and streamed.
func TestEnqueueGetWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := run(t, quiet())
		ctx, cancel := context.WithCancel(t.Context())

		defer cancel()

		watch, err := s.WatchRecommendations(ctx, &tidemarkv1.WatchRecommendationsRequest{})
		require.NoError(t, err)

		event, err := watch.Recv()
		require.NoError(t, err)
		require.NotNil(t, event.GetEndOfSnapshot())

		response := s.enqueue(t, "prod/orders-db")
		require.Equal(t, tidemarkv1.EnqueueOutcome_ENQUEUE_OUTCOME_QUEUED, response.GetOutcome())

		event, err = watch.Recv()
		require.NoError(t, err)
		require.Equal(t, "prod/orders-db", event.GetRecommendation().GetService())
		require.EqualValues(t, 2000, event.GetRecommendation().GetRecommended().GetCpuMillis())

		got, err := s.GetRecommendation(ctx, &tidemarkv1.GetRecommendationRequest{
			Service: "prod/orders-db", MinRevision: event.GetRecommendation().GetRevision(),
		})
		require.NoError(t, err)
		require.Equal(t, event.GetRecommendation().GetRevision(), got.GetRecommendation().GetRevision())
		require.Equal(t, "doubling", got.GetRecommendation().GetExplanation().GetRecommender())

		list, err := s.ListRecommendations(ctx, &tidemarkv1.ListRecommendationsRequest{})
		require.NoError(t, err)
		require.Len(t, list.GetRecommendations(), 1)

		synctest.Wait() // the inventory is read meanwhile

		services, err := s.ListServices(ctx, &tidemarkv1.ListServicesRequest{})
		require.NoError(t, err)
		require.Len(t, services.GetServices(), 2)
		require.Equal(t, "prod/a", services.GetServices()[0].GetService())
	})
}

// Two sources and a person want the same service at once: that is one evaluation.
func TestManyWishesOneEvaluation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		config := quiet()
		config.Worker.Workers = 1
		s := run(t, config)

		s.usage.set(lasting(time.Second))
		s.enqueue(t, "prod/busy")
		synctest.Wait()

		for _, one := range []*tidemarkv1.EnqueueRequest{
			{Service: "prod/a", Trigger: tidemarkv1.Trigger_TRIGGER_PERIODIC, Source: "cron"},
			{Service: "prod/a", Trigger: tidemarkv1.Trigger_TRIGGER_SIGNAL, Source: "clickhouse", Detail: "memory_rejections=3"},
			{Service: "prod/a", Source: "person"},
		} {
			_, err := s.Enqueue(t.Context(), one)
			require.NoError(t, err)
		}

		<-time.After(time.Minute)
		require.EqualValues(t, 2, s.usage.reads.Load())

		got, err := s.GetRecommendation(t.Context(), &tidemarkv1.GetRecommendationRequest{Service: "prod/a"})
		require.NoError(t, err)
		require.Len(t, got.GetRecommendation().GetTriggers(), 3)
	})
}

// While the usage store is away nothing is lowered, the failure says why, and everything recovers by itself.
func TestTheUsageStoreIsAwayForAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := run(t, quiet())
		get := func() *tidemarkv1.Recommendation {
			got, err := s.GetRecommendation(t.Context(), &tidemarkv1.GetRecommendationRequest{Service: "prod/a"})
			require.NoError(t, err)

			return got.GetRecommendation()
		}

		s.enqueue(t, "prod/a")
		synctest.Wait()

		before := get()

		s.usage.set(func(context.Context) error { return errors.New("connection refused") })
		s.enqueue(t, "prod/a")
		synctest.Wait()

		during := get()
		require.Contains(t, during.GetFailure().GetMessage(), "connection refused")
		require.Equal(t, before.GetRecommended().GetCpuMillis(), during.GetRecommended().GetCpuMillis())

		s.usage.set(nil)
		<-time.After(time.Minute)

		after := get()
		require.Nil(t, after.GetFailure())
		require.Equal(t, before.GetRevision(), after.GetRevision())
	})
}

func TestErrorsOverTheWire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := run(t, quiet())
		ctx := t.Context()

		_, err := s.Enqueue(ctx, &tidemarkv1.EnqueueRequest{Service: "no tenant"})
		requireError(t, err, codes.InvalidArgument, tidemarkv1.ErrorReason_ERROR_REASON_INVALID_ARGUMENT)

		violations := detail[*errdetails.BadRequest](t, err).GetFieldViolations()
		require.Len(t, violations, 1)
		require.Equal(t, "service", violations[0].GetField())

		watch, err := s.WatchRecommendations(ctx, &tidemarkv1.WatchRecommendationsRequest{View: 99})
		require.NoError(t, err)

		_, err = watch.Recv()
		requireError(t, err, codes.InvalidArgument, tidemarkv1.ErrorReason_ERROR_REASON_INVALID_ARGUMENT)

		_, err = s.GetRecommendation(ctx, &tidemarkv1.GetRecommendationRequest{Service: "prod/never"})
		requireError(t, err, codes.NotFound, tidemarkv1.ErrorReason_ERROR_REASON_RECOMMENDATION_NOT_FOUND)
		require.Equal(t, "prod/never", detail[*errdetails.ResourceInfo](t, err).GetResourceName())

		_, err = tidemarkv1.NewRunServiceClient(s.conn).ListRuns(ctx, &tidemarkv1.ListRunsRequest{})
		requireError(t, err, codes.Unimplemented, tidemarkv1.ErrorReason_ERROR_REASON_UNIMPLEMENTED)

		_, err = healthpb.NewHealthClient(s.conn).Check(ctx, &healthpb.HealthCheckRequest{Service: "unknown"})
		require.ErrorContains(t, err, "NotFound", "the health protocol's own answer")
	})
}

func TestHealthAndReflection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := run(t, quiet())
		ours := []string{
			tidemarkv1.RecommendationService_ServiceDesc.ServiceName, tidemarkv1.QueueService_ServiceDesc.ServiceName,
		}

		synctest.Wait()

		for _, service := range append([]string{""}, ours...) {
			answer, err := healthpb.NewHealthClient(s.conn).Check(t.Context(), &healthpb.HealthCheckRequest{Service: service})
			require.NoError(t, err)
			require.Equal(t, healthpb.HealthCheckResponse_SERVING, answer.GetStatus())
		}

		stream, err := grpc_reflection_v1.NewServerReflectionClient(s.conn).ServerReflectionInfo(t.Context())
		require.NoError(t, err)
		require.NoError(t, stream.Send(&grpc_reflection_v1.ServerReflectionRequest{
			MessageRequest: &grpc_reflection_v1.ServerReflectionRequest_ListServices{},
		}))

		answer, err := stream.Recv()
		require.NoError(t, err)
		require.NoError(t, stream.CloseSend())

		services := answer.GetListServicesResponse().GetService()
		names := make([]string, len(services))

		for i, service := range services {
			names[i] = service.GetName()
		}

		require.Subset(t, names, ours)
		require.NotContains(t, names, tidemarkv1.RunService_ServiceDesc.ServiceName, "only what works is there")
	})
}
