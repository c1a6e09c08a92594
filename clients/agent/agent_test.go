package agent

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

func TestTheAgentActsOnChanges(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server, client := connected(t)
		server.Put(advice("a/x", 1, 2))

		r := acting(t, client, Config{})
		require.Empty(t, r.taken())

		server.Put(advice("a/x", 1, 3))
		server.Put(advice("a/y", 1, 2))
		require.Equal(t, []string{"a/x 3", "a/y 2"}, r.taken())

		server.Put(advice("a/x", 3, 3))
		require.Empty(t, r.taken(), "it was done")

		server.Put(advice("a/x", 1, 3))
		require.Equal(t, []string{"a/x 3"}, r.taken(), "it was undone")

		server.Resend("a/x")
		require.Equal(t, []string{"a/x 3"}, r.taken(), "somebody asked for it again")
	})
}

func TestTheAgentStartsWithWhatIsOutstanding(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server, client := connected(t)
		server.Put(advice("a/x", 1, 2))
		server.Put(advice("a/y", 2, 2))

		r := acting(t, client, Config{Snapshot: SnapshotOutstanding})
		require.Equal(t, []string{"a/x 2"}, r.taken())
	})
}

func TestTheAgentLeavesAloneWhatIsOnlyObserved(t *testing.T) {
	t.Parallel()

	for want, config := range map[string]Config{
		"[a/up 2]":              {Snapshot: SnapshotAll},
		"[a/observed 2 a/up 2]": {Snapshot: SnapshotAll, ObserveOnly: true},
	} {
		synctest.Test(t, func(t *testing.T) {
			server, client := connected(t)
			server.Put(moded(tidemarkv1.Mode_MODE_OBSERVE_ONLY, advice("a/observed", 1, 2)))
			server.Put(moded(tidemarkv1.Mode_MODE_OFF, advice("a/off", 1, 2)))
			server.Put(moded(tidemarkv1.Mode_MODE_UNSPECIFIED, advice("a/unsaid", 1, 2)))
			server.Put(moded(tidemarkv1.Mode_MODE_UP_ONLY, advice("a/up", 1, 2)))

			require.Equal(t, want, fmt.Sprint(acting(t, client, config).taken()))
		})
	}
}

func TestASlowActuatorDoesNotSlowTheWatch(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server, client := connected(t)
		r := acting(t, client, Config{Workers: 2})

		r.does(func(ctx context.Context, _ *tidemarkv1.Recommendation) error {
			<-ctx.Done()

			return ctx.Err()
		})

		for i := range 1000 {
			server.Put(advice(fmt.Sprintf("a/%d", i%10), 1, int64(i+2)))
		}

		require.Len(t, r.taken(), 2)
		<-time.After(10 * time.Minute)
		require.Equal(t, 1, server.Watchers(), "the stream is read all the time")
	})
}

func TestTheAgentSurvivesTheServer(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server, client := connected(t)
		server.Put(advice("a/x", 1, 2))
		server.Put(advice("a/y", 1, 2))

		r := acting(t, client, Config{})
		server.LoseState()
		server.Put(advice("a/x", 1, 2))
		server.Put(advice("a/z", 1, 2))
		<-time.After(time.Minute)

		// a/x is as it was, a/y is gone, a/z is new.
		require.Equal(t, []string{"a/z 2"}, r.taken())
	})
}

func TestAHopelessWatchEndsTheAgent(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server, client := connected(t)
		server.FailWith(func(string) error { return status.Error(codes.PermissionDenied, "no") })

		agent := New(Config{Watcher: client, Actuator: &recorder{}}, slog.New(slog.DiscardHandler))
		require.Equal(t, codes.PermissionDenied, status.Code(agent.Run(t.Context())))
	})
}
