package agent

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/clients/tidemark/tidemarktest"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

func TestTheNewestValueWinsWhileOneIsUnderWay(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server, client := connected(t)
		r := acting(t, client, Config{})

		finish := make(chan struct{})
		r.does(func(_ context.Context, recommendation *tidemarkv1.Recommendation) error {
			if recommendation.GetService() == "a/x" {
				<-finish
			}

			return nil
		})

		for to := int64(2); to < 6; to++ {
			server.Put(advice("a/x", 1, to))
			synctest.Wait()
		}

		server.Put(advice("a/y", 1, 2))
		require.Equal(t, []string{"a/x 2", "a/y 2"}, r.taken())

		close(finish)
		require.Equal(t, []string{"a/x 5"}, r.taken())
	})
}

func TestTheNewestValueWinsWhileOneIsTriedAgain(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server, client := connected(t)
		r := acting(t, client, Config{})

		r.does(func(context.Context, *tidemarkv1.Recommendation) error {
			return RetryAfter(errors.New("busy"), 30*time.Second)
		})
		server.Put(advice("a/x", 1, 2))
		require.Equal(t, []string{"a/x 2"}, r.taken())

		server.Put(advice("a/x", 1, 3))
		<-time.After(29 * time.Second)
		require.Empty(t, r.taken(), "the wait is kept to")

		r.does(nil)
		<-time.After(2 * time.Second)
		require.Equal(t, []string{"a/x 3"}, r.taken())

		<-time.After(time.Hour)
		require.Empty(t, r.taken())
	})
}

func TestNothingIsDoneForAServiceThatIsGone(t *testing.T) {
	t.Parallel()

	for name, end := range map[string]func(*tidemarktest.Server){
		"removed": func(server *tidemarktest.Server) { server.Remove("a/x") },
		"observed": func(server *tidemarktest.Server) {
			server.Put(moded(tidemarkv1.Mode_MODE_OBSERVE_ONLY, advice("a/x", 1, 3)))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				server, client := connected(t)
				r := acting(t, client, Config{})

				// Once while it waits to be tried again, once while it is under way.
				r.does(func(context.Context, *tidemarkv1.Recommendation) error { return errors.New("down") })
				server.Put(advice("a/x", 1, 2))
				require.Equal(t, []string{"a/x 2"}, r.taken())
				end(server)
				<-time.After(time.Hour)
				require.Empty(t, r.taken())

				finish := make(chan struct{})
				r.does(func(context.Context, *tidemarkv1.Recommendation) error {
					<-finish

					return errors.New("down")
				})
				server.Put(advice("a/x", 1, 4))
				require.Equal(t, []string{"a/x 4"}, r.taken())
				end(server)
				synctest.Wait()
				close(finish)
				<-time.After(time.Hour)
				require.Empty(t, r.taken())
			})
		})
	}
}

func TestATimerThatRanOffTooLateEndsNoOtherWait(t *testing.T) {
	t.Parallel()

	l := newLanes(time.Hour, time.Hour)
	defer l.close()

	l.put(advice("a/x", 1, 2))
	l.keepFor(l.take(), time.Hour)

	at := l.lanes["a/x"]
	late := at.waits

	l.put(advice("a/x", 1, 3)) // ends the wait; its timer may be running off just now
	l.failed(l.take(), time.Hour)
	l.again(at, late)
	require.Zero(t, l.ready.len())

	l.again(at, at.waits)
	require.Equal(t, 1, l.ready.len())
}
