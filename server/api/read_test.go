package api

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

func TestGetShowsEverythingUnlessAskedForLess(t *testing.T) {
	f := start(t)
	f.recommend("prod/a")

	for view, full := range map[tidemarkv1.View]bool{
		tidemarkv1.View_VIEW_UNSPECIFIED: true, tidemarkv1.View_VIEW_FULL: true, tidemarkv1.View_VIEW_BASIC: false,
	} {
		got, err := f.GetRecommendation(t.Context(), &tidemarkv1.GetRecommendationRequest{Service: "prod/a", View: view})
		require.NoError(t, err)
		require.Equal(t, full, got.GetRecommendation().GetExplanation() != nil, view)
	}

	_, err := f.GetRecommendation(t.Context(), &tidemarkv1.GetRecommendationRequest{Service: "prod/b"})
	requireStatus(t, err, codes.NotFound, tidemarkv1.ErrorReason_ERROR_REASON_RECOMMENDATION_NOT_FOUND)
}

// Who has seen a revision elsewhere is never answered from before it.
func TestMinRevisionWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t)
		first := f.recommend("prod/a")
		got := make(chan *tidemarkv1.GetRecommendationResponse)

		go func() {
			response, _ := f.GetRecommendation(t.Context(), &tidemarkv1.GetRecommendationRequest{
				Service: "prod/b", MinRevision: first + 1,
			})
			got <- response
		}()

		synctest.Wait()
		require.Empty(t, got)
		f.recommend("prod/b")
		require.Equal(t, first+1, (<-got).GetRecommendation().GetRevision())

		began := time.Now()
		_, err := f.GetRecommendation(t.Context(), &tidemarkv1.GetRecommendationRequest{
			Service: "prod/a", MinRevision: first + 100,
		})
		st := requireStatus(t, err, codes.Unavailable, tidemarkv1.ErrorReason_ERROR_REASON_REVISION_NOT_REACHED)
		require.Equal(t, revisionWait, time.Since(began))

		info, is := st.Details()[0].(*errdetails.ErrorInfo)
		require.True(t, is)
		require.Equal(t, "2", info.GetMetadata()["head"])

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()

		began = time.Now()
		_, err = f.GetRecommendation(ctx, &tidemarkv1.GetRecommendationRequest{Service: "prod/a", MinRevision: first + 100})
		require.Error(t, err)
		require.Equal(t, time.Second, time.Since(began), "the caller's deadline is nearer")
	})
}

// Whoever waits for the deletion of a service to show, and for one that is deleted, is answered at once, also when there
// never was more of it than a wish.
func TestMinRevisionOfWhatIsDeleted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t)
		began := time.Now()
		head := f.recommend("prod/b")
		get := func(revision int64) error {
			_, err := f.GetRecommendation(t.Context(), &tidemarkv1.GetRecommendationRequest{
				Service: "prod/a", MinRevision: revision,
			})

			return err
		}

		f.enqueue(&tidemarkv1.EnqueueRequest{Service: "prod/a"})

		waiting := make(chan error, 1)

		go func() { waiting <- get(head + 1) }()

		synctest.Wait()
		require.Empty(t, waiting)

		deleted := f.remove("prod/a")
		requireStatus(t, get(deleted), codes.NotFound, tidemarkv1.ErrorReason_ERROR_REASON_RECOMMENDATION_NOT_FOUND)
		requireStatus(t, <-waiting, codes.NotFound, tidemarkv1.ErrorReason_ERROR_REASON_RECOMMENDATION_NOT_FOUND)
		require.Zero(t, time.Since(began))
	})
}

// fakeStream is a watch stream that takes one event.
type fakeStream struct {
	grpc.ServerStreamingServer[tidemarkv1.WatchRecommendationsResponse]

	ctx    context.Context
	cancel context.CancelFunc
	got    *tidemarkv1.WatchRecommendationsResponse
}

func (s *fakeStream) Context() context.Context { return s.ctx }

func (s *fakeStream) Send(event *tidemarkv1.WatchRecommendationsResponse) error {
	if s.got == nil {
		s.got = event
	}

	s.cancel()

	return nil
}

func TestWatchStreamsFromTheHub(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t)
		f.recommend("prod/a")

		ctx, cancel := context.WithCancel(t.Context())
		stream := &fakeStream{ctx: ctx, cancel: cancel}

		err := f.WatchRecommendations(&tidemarkv1.WatchRecommendationsRequest{}, stream)
		requireStatus(t, err, codes.Canceled, tidemarkv1.ErrorReason_ERROR_REASON_CANCELLED)
		require.Equal(t, "prod/a", stream.got.GetRecommendation().GetService())
	})
}
