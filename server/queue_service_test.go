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
	"google.golang.org/protobuf/types/known/timestamppb"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

const (
	accepting  = tidemarkv1.PauseScope_PAUSE_SCOPE_ACCEPTING
	evaluating = tidemarkv1.PauseScope_PAUSE_SCOPE_EVALUATING
)

func (r *running) operators() tidemarkv1.QueueServiceClient {
	return tidemarkv1.NewQueueServiceClient(r.conn)
}

func (r *running) status(t *testing.T) *tidemarkv1.GetQueueStatusResponse {
	t.Helper()

	status, err := r.operators().GetQueueStatus(t.Context(), &tidemarkv1.GetQueueStatusRequest{})
	require.NoError(t, err)

	return status
}

func (r *running) pause(t *testing.T, scope tidemarkv1.PauseScope, length time.Duration) {
	t.Helper()

	_, err := r.operators().PauseQueue(t.Context(), &tidemarkv1.PauseQueueRequest{
		Scope: scope, Author: "ana", Reason: "upgrade", ExpireTime: timestamppb.New(time.Now().Add(length)),
	})
	require.NoError(t, err)
}

func (r *running) resume(t *testing.T, scope tidemarkv1.PauseScope) {
	t.Helper()

	_, err := r.operators().ResumeQueue(t.Context(), &tidemarkv1.ResumeQueueRequest{Scope: scope, Author: "ana"})
	require.NoError(t, err)
}

// While evaluating is paused work is taken and waits; what runs goes on. Afterwards all of it is done.
func TestEvaluatingIsPaused(t *testing.T) {
	for name, end := range map[string]func(*testing.T, *running){
		"until it is resumed":     func(t *testing.T, s *running) { t.Helper(); s.resume(t, evaluating) },
		"until it ends by itself": func(*testing.T, *running) { <-time.After(time.Hour) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := run(t, quiet())

				s.usage.set(lasting(time.Second))
				s.enqueue(t, "prod/runs")
				synctest.Wait()
				s.pause(t, evaluating, time.Hour)

				queued := s.enqueue(t, "prod/waits")
				require.Equal(t, tidemarkv1.EnqueueOutcome_ENQUEUE_OUTCOME_QUEUED, queued.GetOutcome())

				<-time.After(30 * time.Minute)

				_, err := s.GetRecommendation(t.Context(), &tidemarkv1.GetRecommendationRequest{Service: "prod/runs"})
				require.NoError(t, err, "what ran before goes on")
				require.EqualValues(t, 1, s.usage.reads.Load())
				require.EqualValues(t, 1, s.status(t).GetDepth().GetWaiting())
				require.Len(t, s.status(t).GetPauses(), 1)

				end(t, s)
				<-time.After(time.Second)
				synctest.Wait()

				_, err = s.GetRecommendation(t.Context(), &tidemarkv1.GetRecommendationRequest{Service: "prod/waits"})
				require.NoError(t, err)
				require.EqualValues(t, 2, s.usage.reads.Load())
				require.Empty(t, s.status(t).GetPauses())
			})
		})
	}
}

func TestAcceptingIsPaused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := run(t, quiet())
		s.pause(t, accepting, 8*time.Hour)

		_, err := s.Enqueue(t.Context(), &tidemarkv1.EnqueueRequest{Service: "prod/a"})
		requireError(t, err, codes.Unavailable, tidemarkv1.ErrorReason_ERROR_REASON_QUEUE_PAUSED)
		require.ErrorContains(t, err, "by ana: upgrade")
		require.Equal(t, time.Minute, detail[*errdetails.RetryInfo](t, err).GetRetryDelay().AsDuration())

		s.resume(t, accepting)
		s.enqueue(t, "prod/a")
	})
}

// A cancelled item is not evaluated any further, and a failed one is when somebody asks for it.
func TestCancelAndRetryOfARunningServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		config := quiet()
		config.Queue.BackoffLimit = 1
		s := run(t, config)

		s.usage.set(lasting(20 * time.Second))
		s.enqueue(t, "prod/hangs")
		synctest.Wait()

		cancelled, err := s.operators().CancelItem(t.Context(), &tidemarkv1.CancelItemRequest{Service: "prod/hangs"})
		require.NoError(t, err)
		require.Equal(t, tidemarkv1.ItemState_ITEM_STATE_RUNNING, cancelled.GetItem().GetState())
		synctest.Wait()
		require.Zero(t, s.usage.running.Load(), "the evaluation was told")
		require.EqualValues(t, 1, s.status(t).GetEvaluations().GetReleased())

		_, err = s.GetRecommendation(t.Context(), &tidemarkv1.GetRecommendationRequest{Service: "prod/hangs"})
		requireError(t, err, codes.NotFound, tidemarkv1.ErrorReason_ERROR_REASON_RECOMMENDATION_NOT_FOUND)

		s.usage.set(func(context.Context) error { return errors.New("no such column") })
		s.enqueue(t, "prod/fails")
		synctest.Wait()

		list, err := s.operators().ListQueueItems(t.Context(), &tidemarkv1.ListQueueItemsRequest{
			States: []tidemarkv1.ItemState{tidemarkv1.ItemState_ITEM_STATE_FAILED},
		})
		require.NoError(t, err)
		require.Len(t, list.GetItems(), 1)
		require.Contains(t, list.GetItems()[0].GetLastError(), "no such column")

		s.usage.set(nil)

		_, err = s.operators().RetryItem(t.Context(), &tidemarkv1.RetryItemRequest{Service: "prod/fails"})
		require.NoError(t, err)
		synctest.Wait()

		_, err = s.GetRecommendation(t.Context(), &tidemarkv1.GetRecommendationRequest{Service: "prod/fails"})
		require.NoError(t, err)
		require.Zero(t, s.status(t).GetDepth().GetFailed())
	})
}

// What a status says while the usage store is away, and that it is over when it is.
func TestTheStatusOfAnOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := run(t, quiet())
		usageStore := func() *tidemarkv1.DependencyStatus {
			for _, d := range s.status(t).GetDependencies() {
				if d.GetName() == "usage store" {
					return d
				}
			}

			return nil
		}

		require.Equal(t, tidemarkv1.DependencyState_DEPENDENCY_STATE_AVAILABLE, usageStore().GetState())

		s.usage.set(func(context.Context) error { return errors.New("connection refused") })
		s.recommendMany(t)
		require.True(t, usageStore().GetUnavailable())
		require.Equal(t, "waiting for usage store: connection refused", usageStore().GetMessage())
		require.Zero(t, s.status(t).GetDepth().GetFailed())

		s.usage.set(nil)
		<-time.After(5 * time.Minute)
		require.Equal(t, tidemarkv1.DependencyState_DEPENDENCY_STATE_AVAILABLE, usageStore().GetState())
		require.Zero(t, s.status(t).GetDepth().GetWaiting())
	})
}

func TestErrorsOfTheQueueServiceOverTheWire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := run(t, quiet())
		ctx, operators := t.Context(), s.operators()

		_, retry := operators.RetryItem(ctx, &tidemarkv1.RetryItemRequest{Service: "no tenant"})
		_, cancel := operators.CancelItem(ctx, &tidemarkv1.CancelItemRequest{})
		_, states := operators.ListQueueItems(ctx, &tidemarkv1.ListQueueItemsRequest{
			States: []tidemarkv1.ItemState{tidemarkv1.ItemState_ITEM_STATE_FAILED, 99},
		})
		_, page := operators.ListQueueItems(ctx, &tidemarkv1.ListQueueItemsRequest{PageSize: -1})
		_, author := operators.PauseQueue(ctx, &tidemarkv1.PauseQueueRequest{Scope: evaluating, Reason: "x"})
		_, reason := operators.PauseQueue(ctx, &tidemarkv1.PauseQueueRequest{Scope: evaluating, Author: "x"})
		_, scope := operators.ResumeQueue(ctx, &tidemarkv1.ResumeQueueRequest{Author: "x"})
		_, end := operators.PauseQueue(ctx, &tidemarkv1.PauseQueueRequest{
			Scope: evaluating, Author: "x", Reason: "x", ExpireTime: timestamppb.New(time.Now().Add(-time.Minute)),
		})

		for err, field := range map[error]string{
			retry: "service", cancel: "service", states: "states[1]", page: "page_size", author: "author", reason: "reason",
			scope: "scope", end: "expire_time",
		} {
			requireError(t, err, codes.InvalidArgument, tidemarkv1.ErrorReason_ERROR_REASON_INVALID_ARGUMENT)

			violations := detail[*errdetails.BadRequest](t, err).GetFieldViolations()
			require.Len(t, violations, 1)
			require.Equal(t, field, violations[0].GetField())
		}

		_, err := operators.ListQueueItems(ctx, &tidemarkv1.ListQueueItemsRequest{PageToken: "x"})
		requireError(t, err, codes.InvalidArgument, tidemarkv1.ErrorReason_ERROR_REASON_INVALID_PAGE_TOKEN)

		_, err = operators.CancelItem(ctx, &tidemarkv1.CancelItemRequest{Service: "prod/none"})
		requireError(t, err, codes.NotFound, tidemarkv1.ErrorReason_ERROR_REASON_QUEUE_ITEM_NOT_FOUND)
		require.Equal(t, "prod/none", detail[*errdetails.ResourceInfo](t, err).GetResourceName())

		_, err = operators.RetryItem(ctx, &tidemarkv1.RetryItemRequest{Service: "prod/none"})
		requireError(t, err, codes.NotFound, tidemarkv1.ErrorReason_ERROR_REASON_QUEUE_ITEM_NOT_FOUND)
	})
}
