package api

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/server/queue"
	"github.com/tidemark-project/tidemark/server/store"
)

// remove deletes a service and returns the revision.
func (f *fixture) remove(service string) int64 {
	f.Helper()

	response, err := f.DeleteService(f.Context(), &tidemarkv1.DeleteServiceRequest{Service: service})
	require.NoError(f, err)

	return response.GetRevision()
}

func TestADeletedServiceIsForgottenEverywhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t)
		f.recommend("prod/b")
		revision := f.recommend("prod/a")
		f.enqueue(&tidemarkv1.EnqueueRequest{Service: "prod/a"})

		require.Greater(t, f.remove("prod/a"), revision)
		synctest.Wait()

		_, err := f.GetRecommendation(t.Context(), &tidemarkv1.GetRecommendationRequest{Service: "prod/a"})
		requireStatus(t, err, codes.NotFound, tidemarkv1.ErrorReason_ERROR_REASON_RECOMMENDATION_NOT_FOUND)
		require.Zero(t, f.queue.Depth())
		require.Empty(t, f.work())
		require.Equal(t, map[string]int{"forgotten gone=false": 1}, f.observer.count)

		_, err = f.GetRecommendation(t.Context(), &tidemarkv1.GetRecommendationRequest{Service: "prod/b"})
		require.NoError(t, err)

		// It may come back.
		f.enqueue(&tidemarkv1.EnqueueRequest{Service: "prod/a"})
		require.Zero(t, f.take().Attempts())
	})
}

func TestTheDeletionOfWhatIsNotKnown(t *testing.T) {
	f := start(t)

	_, err := f.DeleteService(t.Context(), &tidemarkv1.DeleteServiceRequest{Service: "prod/a"})
	st := requireStatus(t, err, codes.NotFound, tidemarkv1.ErrorReason_ERROR_REASON_SERVICE_NOT_FOUND)

	resource, is := st.Details()[1].(*errdetails.ResourceInfo)
	require.True(t, is)
	require.Equal(t, "prod/a", resource.GetResourceName())

	require.NoError(t, f.ForgetGone(t.Context(), "prod/a"), "it has gone")
	require.Empty(t, f.observer.count)

	// What only waits is known, whether the store holds its work or not.
	f.enqueue(&tidemarkv1.EnqueueRequest{Service: "prod/a"})
	require.NoError(t, f.ForgetGone(t.Context(), "prod/a"))
	require.Zero(t, f.queue.Depth())

	_, err = f.queue.Enqueue(&queue.Request{Service: "prod/a", Revision: 1})
	require.NoError(t, err)
	f.remove("prod/a")
	require.Zero(t, f.queue.Depth())
	require.Equal(t, map[string]int{"forgotten gone=true": 1, "forgotten gone=false": 1}, f.observer.count)
}

func TestTheDeletionOfWhatIsBeingEvaluated(t *testing.T) {
	f := start(t)
	f.enqueue(&tidemarkv1.EnqueueRequest{Service: "prod/a"})

	revoked := false
	lease := f.take()
	lease.OnRevoke(func() { revoked = true })
	f.remove("prod/a")
	require.True(t, revoked)

	_, err := f.memory.Commit(t.Context(), store.Commit{
		Recommendation: &tidemarkv1.Recommendation{Service: "prod/a"}, Changed: true, Asked: lease.Revision(),
	})
	require.ErrorIs(t, err, store.ErrDeleted, "not even if it does not heed that")

	lease.Succeed()
	require.Zero(t, f.queue.Depth())
}

// When the store is away nothing has happened, so that the call can be repeated.
func TestADeletionWithoutAStore(t *testing.T) {
	f := start(t)
	f.enqueue(&tidemarkv1.EnqueueRequest{Service: "prod/a"})

	ctx, cancel := context.WithCancel(t.Context())
	cancel()

	_, err := f.DeleteService(ctx, &tidemarkv1.DeleteServiceRequest{Service: "prod/a"})
	requireStatus(t, err, codes.Canceled, tidemarkv1.ErrorReason_ERROR_REASON_CANCELLED)
	require.Equal(t, queue.Depth{Waiting: 1}, f.queue.Depth())
	require.Contains(t, f.work(), "prod/a")
}

// latecomers is a store in which work comes right after a deletion.
type latecomers struct {
	*store.Memory

	after func()
}

func (s latecomers) Delete(ctx context.Context, service string) (int64, error) {
	revision, err := s.Memory.Delete(ctx, service)
	s.after()

	return revision, err
}

// What is accepted after the deletion is not part of it, however closely it follows.
func TestWorkThatComesDuringADeletion(t *testing.T) {
	f := start(t)
	f.enqueue(&tidemarkv1.EnqueueRequest{Service: "prod/b"})

	accepted := int64(0)
	f.store = latecomers{Memory: f.memory, after: func() {
		f.enqueue(&tidemarkv1.EnqueueRequest{Service: "prod/b", Trigger: signal})
		accepted = f.work()["prod/b"].Revision
	}}

	deleted := f.remove("prod/b")
	require.Greater(t, accepted, deleted)

	lease := f.take()
	require.Equal(t, accepted, lease.Revision())

	_, err := f.memory.Commit(t.Context(), store.Commit{
		Recommendation: &tidemarkv1.Recommendation{Service: "prod/b"}, Changed: true, Asked: lease.Revision(),
		WorkRevision: lease.Revision(),
	})
	require.NoError(t, err)
	lease.Succeed()
	require.Empty(t, f.work())
}

// Whatever the queue forgets by that goes back, also while it takes nothing in from callers.
func TestWorkThatComesDuringADeletionIsNotKeptOut(t *testing.T) {
	f := start(t)
	f.enqueue(&tidemarkv1.EnqueueRequest{Service: "prod/a", Source: "before"})
	f.store = latecomers{Memory: f.memory, after: func() {
		f.enqueue(&tidemarkv1.EnqueueRequest{Service: "prod/a", Source: "after", Trigger: signal, Detail: "oom_kills=1"})

		_, err := f.queue.Pause(queue.Pause{Scope: queue.Accepting, Author: "ana", Reason: "upgrade"})
		require.NoError(t, err)
	}}
	f.remove("prod/a")

	lease := f.take()
	require.Equal(t, f.work()["prod/a"].Revision, lease.Revision())
	require.Len(t, lease.Triggers(), 2)
	require.Equal(t, "oom_kills=1", lease.Triggers()[1].Detail)
}

// Work of a service that only the queue knows of may come at that moment, too.
func TestWorkThatComesDuringTheDeletionOfWhatOnlyWaits(t *testing.T) {
	f := start(t)

	_, err := f.queue.Enqueue(&queue.Request{Service: "prod/a", Revision: 1})
	require.NoError(t, err)

	f.enqueue(&tidemarkv1.EnqueueRequest{Service: "prod/z"}) // revision 1
	f.store = latecomers{Memory: f.memory, after: func() { f.enqueue(&tidemarkv1.EnqueueRequest{Service: "prod/a"}) }}
	require.EqualValues(t, 1, f.remove("prod/a"))
	require.Equal(t, queue.Depth{Waiting: 2}, f.queue.Depth())
	require.Contains(t, f.work(), "prod/a")
}
