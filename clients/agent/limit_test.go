package agent

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

func TestTheAgentChangesSoManyServicesAMinute(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server, client := connected(t)
		reported := &desk{}
		r := acting(t, client, Config{MaxChangesPerMinute: 10, Reporter: reported})

		for i := range 25 {
			server.Put(advice(fmt.Sprintf("a/%d", i), 1, 2))
		}

		require.Len(t, r.taken(), 10)

		told := reported.told()
		require.Len(t, told, 25)
		require.Contains(t, told, "a/24@25 deferred: the agent makes 10 changes a minute at most")

		<-time.After(time.Minute - time.Millisecond)
		require.Empty(t, r.taken())
		<-time.After(time.Millisecond)
		require.Len(t, r.taken(), 10)
		<-time.After(time.Minute)
		require.Len(t, r.taken(), 5)
		<-time.After(time.Hour)
		require.Empty(t, r.taken())
		require.Len(t, reported.told(), 15, "what was deferred is applied, and not deferred once more")
	})
}

func TestWhatHasToGrowGoesFirst(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server, client := connected(t)
		r := acting(t, client, Config{MaxChangesPerMinute: 1, MaxDataAge: -1})

		for _, service := range []string{"a/first", "a/second", "a/third"} {
			server.Put(advice(service, 3, 2))
			synctest.Wait()
		}

		server.Put(advice("a/up", 1, 2))
		synctest.Wait()
		server.Put(advice("a/third", 1, 4)) // from going down to going up
		require.Equal(t, []string{"a/first 2"}, r.taken())

		for _, want := range []string{"a/up 2", "a/third 4", "a/second 2"} {
			<-time.After(time.Minute)
			require.Equal(t, []string{want}, r.taken())
		}
	})
}

func TestTheNewestValueWinsWhileTooManyChange(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server, client := connected(t)
		reported := &desk{}
		r := acting(t, client, Config{MaxChangesPerMinute: 1, Reporter: reported})

		server.Put(advice("a/x", 1, 2))
		require.Equal(t, []string{"a/x 2"}, r.taken())

		server.Put(advice("a/x", 1, 3))
		server.Put(advice("a/gone", 1, 2))
		synctest.Wait()
		server.Put(advice("a/x", 1, 4))
		server.Remove("a/gone")
		<-time.After(time.Hour)
		require.Equal(t, []string{"a/x 4"}, r.taken())
		require.Subset(t, reported.told(), []string{
			"a/x@2 deferred: the agent makes 1 changes a minute at most",
			"a/x@4 deferred: the agent makes 1 changes a minute at most",
			"a/x@4 applied: ",
		})
	})
}

func TestAttemptsCountAsChanges(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server, client := connected(t)
		r := acting(t, client, Config{MaxChangesPerMinute: 2, MaxRetryDelay: time.Second, ObserveOnly: true})

		r.does(func(context.Context, *tidemarkv1.Recommendation) error { return errors.New("down") })
		server.Put(advice("a/x", 1, 2))
		<-time.After(time.Hour - time.Second)
		require.Len(t, r.taken(), 2*60)

		// What is only shown changes nothing.
		r.does(nil)

		for i := range 100 {
			server.Put(moded(tidemarkv1.Mode_MODE_OBSERVE_ONLY, advice(fmt.Sprintf("a/%d", i), 1, 2)))
		}

		require.GreaterOrEqual(t, len(r.taken()), 100)
	})
}

func TestANewerValueKeepsTheTurnOfItsService(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server, client := connected(t)
		r := acting(t, client, Config{MaxChangesPerMinute: 1})

		for _, service := range []string{"a/first", "a/second", "a/third"} {
			server.Put(advice(service, 1, 2))
			synctest.Wait()
		}

		server.Put(advice("a/second", 1, 3))
		require.Equal(t, []string{"a/first 2"}, r.taken())
		<-time.After(time.Minute)
		require.Equal(t, []string{"a/second 3"}, r.taken())
	})
}
