package agent

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/timestamppb"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// present is a reader that answers what a test says.
type present struct {
	mu     sync.Mutex
	asked  int
	answer func() (*tidemarkv1.Recommendation, error)
}

func (p *present) Get(
	_ context.Context, _ *tidemarkv1.GetRecommendationRequest,
) (*tidemarkv1.Recommendation, error) {
	p.mu.Lock()
	defer p.mu.Unlock()

	p.asked++

	return p.answer()
}

func (p *present) answers(answer func() (*tidemarkv1.Recommendation, error)) {
	p.mu.Lock()
	defer p.mu.Unlock()

	p.answer = answer
}

// questions returns how often it was asked since the last call.
func (p *present) questions() int {
	synctest.Wait()

	p.mu.Lock()
	defer p.mu.Unlock()

	asked := p.asked
	p.asked = 0

	return asked
}

func TestAnOutdatedRecommendationWaitsForTheWatch(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server, client := connected(t)
		reported := &desk{}
		r := acting(t, client, Config{Reporter: reported})

		for _, service := range []string{"a/gone", "a/x", "a/y"} {
			server.Put(dated(time.Now().Add(-2*time.Hour), advice(service, 1, 2)))
		}

		<-time.After(time.Hour)
		require.Empty(t, r.taken())

		why := " deferred: the newest usage data behind it is 2h0m0s old, more than 1h0m0s"
		require.Equal(t, []string{"a/gone@1" + why, "a/x@2" + why, "a/y@3" + why}, reported.told(), "once")

		server.Renew(dated(time.Now(), advice("a/x", 1, 2)))
		server.Put(dated(time.Now(), advice("a/y", 1, 3)))
		server.Remove("a/gone")
		require.Equal(t, []string{"a/x 2", "a/y 3"}, r.taken())

		server.Renew(dated(time.Now(), advice("a/x", 1, 2)))
		require.Empty(t, r.taken(), "that is nothing new")
	})
}

func TestARenewalWhileItIsTriedAgainCounts(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server, client := connected(t)
		r := acting(t, client, Config{})

		r.does(func(context.Context, *tidemarkv1.Recommendation) error { return errors.New("down") })
		server.Put(dated(time.Now(), advice("a/x", 1, 2)))

		// Longer than the first value holds; once it is renewed between two attempts, once while one is under way.
		<-time.After(50 * time.Minute)
		server.Renew(dated(time.Now(), advice("a/x", 1, 2)))

		finish := make(chan error)
		r.does(func(context.Context, *tidemarkv1.Recommendation) error { return <-finish })
		<-time.After(50 * time.Minute)
		server.Renew(dated(time.Now(), advice("a/x", 1, 2)))
		require.NotEmpty(t, r.taken())

		<-time.After(50 * time.Minute)
		r.does(func(context.Context, *tidemarkv1.Recommendation) error { return errors.New("down") })

		finish <- errors.New("down")

		<-time.After(5 * time.Minute)
		require.NotEmpty(t, r.taken(), "it still holds")

		<-time.After(time.Hour)
		r.taken()
		<-time.After(time.Hour)
		require.Empty(t, r.taken(), "now it does not")
	})
}

func TestASnapshotRenewsWhatWaits(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server, client := connected(t)
		agent, r := pausable(t, client, Config{})

		agent.Pause("test")
		server.Put(dated(time.Now(), advice("a/x", 1, 2)))
		synctest.Wait()

		// A new stream, on which the same comes again.
		<-time.After(2 * time.Hour)
		server.LoseState()
		server.Put(dated(time.Now(), advice("a/x", 1, 2)))
		<-time.After(time.Minute)

		agent.Resume()
		require.Equal(t, []string{"a/x 2"}, r.taken())
	})
}

func TestAForbiddenRecommendationIsRefused(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server, client := connected(t)
		reported := &desk{}
		r := acting(t, client, Config{Reporter: reported})

		server.Put(moded(tidemarkv1.Mode_MODE_UP_ONLY, dated(time.Now(), advice("a/x", 2, 1))))
		<-time.After(time.Hour)
		require.Empty(t, r.taken())
		require.Equal(t, []string{"a/x@1 refused: it lowers the size although its mode is up only"}, reported.told())
	})
}

func TestAnOutdatedRecommendationWaitsUntilItIsRenewed(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server, client := connected(t)
		reported, reader := &desk{}, &present{}
		old := dated(time.Now().Add(-2*time.Hour), advice("a/x", 1, 2))
		reader.answers(func() (*tidemarkv1.Recommendation, error) { return old, nil })
		r := acting(t, client, Config{Reporter: reported, Reader: reader})

		server.Put(old)
		<-time.After(time.Hour)
		require.Empty(t, r.taken())
		require.Equal(t, []string{
			"a/x@1 deferred: the newest usage data behind it is 2h0m0s old, more than 1h0m0s",
		}, reported.told(), "once")

		asked := reader.questions()
		require.Greater(t, asked, 7)
		require.Less(t, asked, 25)

		reader.answers(func() (*tidemarkv1.Recommendation, error) { return nil, errors.New("down") })
		<-time.After(time.Hour)
		require.Empty(t, r.taken())
		require.Greater(t, reader.questions(), 7)

		reader.answers(func() (*tidemarkv1.Recommendation, error) {
			return revised(1, dated(time.Now(), advice("a/x", 1, 2))), nil
		})
		<-time.After(2 * renewEvery)
		require.Equal(t, []string{"a/x 2"}, r.taken())
		require.Equal(t, []string{"a/x@1 applied: "}, reported.told())
	})
}

func TestANewValueEndsTheWaitForRenewal(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server, client := connected(t)
		reader := &present{}
		reader.answers(func() (*tidemarkv1.Recommendation, error) { return nil, errors.New("down") })
		r := acting(t, client, Config{Reader: reader})

		server.Put(dated(time.Now().Add(-2*time.Hour), advice("a/x", 1, 2)))
		server.Put(dated(time.Now().Add(-2*time.Hour), advice("a/gone", 1, 2)))
		require.Empty(t, r.taken())
		require.Equal(t, 2, reader.questions())

		server.Put(dated(time.Now(), advice("a/x", 1, 3)))
		server.Remove("a/gone")
		require.Equal(t, []string{"a/x 3"}, r.taken(), "at once")

		<-time.After(time.Hour)
		require.Empty(t, r.taken())
		require.Zero(t, reader.questions())
	})
}

func TestAnOutdatedRecommendationThatWasReplacedIsForgotten(t *testing.T) {
	t.Parallel()

	for name, c := range map[string]struct {
		now *tidemarkv1.Recommendation
		err error
	}{
		"nothing": {nil, fmt.Errorf("get: %w", status.Error(codes.NotFound, "none"))},
		"size":    {advice("a/x", 1, 3), nil},
		"mode":    {moded(tidemarkv1.Mode_MODE_OBSERVE_ONLY, advice("a/x", 1, 2)), nil},
		"done":    {advice("a/x", 2, 2), nil},
		"absurd":  {advice("a/other", 1, 2), nil},
	} {
		synctest.Test(t, func(t *testing.T) {
			server, client := connected(t)
			reader := &present{}
			reader.answers(func() (*tidemarkv1.Recommendation, error) { return c.now, c.err })
			r := acting(t, client, Config{Reader: reader})

			server.Put(dated(time.Now().Add(-2*time.Hour), advice("a/x", 1, 2)))
			<-time.After(time.Hour)
			require.Empty(t, r.taken(), name)
			require.Equal(t, 1, reader.questions(), name)
		})
	}
}

// TestALongPauseLosesNothing takes longer than what is kept may be acted on, while the server renews it.
func TestALongPauseLosesNothing(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server, client := connected(t)
		reader := &present{}
		agent, r := pausable(t, client, Config{Reader: reader})

		brief := func() *tidemarkv1.Recommendation {
			kept := dated(time.Now(), advice("a/x", 1, 2))
			kept.ExpireTime = timestamppb.New(time.Now().Add(time.Minute))

			return kept
		}
		reader.answers(func() (*tidemarkv1.Recommendation, error) { return brief(), nil })

		agent.Pause("test")
		server.Put(brief())
		<-time.After(24 * time.Hour)
		require.Zero(t, reader.questions(), "as long as nothing may be done anyway")

		agent.Resume()
		require.Equal(t, []string{"a/x 2"}, r.taken())
	})
}
