package main

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/clients/tidemark/tidemarktest"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// following runs a command that goes on, while the test runs.
func following(t *testing.T, server *tidemarktest.Server, args []string, test func(out *lines)) {
	t.Helper()

	ctx, cancel := context.WithCancel(t.Context())
	out, done := &lines{}, make(chan error, 1)

	go func() { done <- runClient(ctx, server, out, args...) }()

	synctest.Wait()
	test(out)
	cancel()
	require.ErrorIs(t, <-done, context.Canceled)
}

func TestWatch(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server := newServer(t)
		server.Put(orders())

		following(t, server, []string{"watch"}, func(out *lines) {
			require.Equal(t, "prod/orders-db  up  1 core -> 1.5 cores, 4Gi -> 8Gi, 3 replicas  (memory rejected, rounded)  rev 1\n"+
				"-- up to date, revision 1 --\n", out.taken())

			server.Remove("prod/orders-db")
			synctest.Wait()
			require.Equal(t, "prod/orders-db  removed  rev 2\n", out.taken())

			server.LoseState()
			<-time.After(time.Second)
			require.Equal(t, "-- changes were missed, taking a new snapshot --\n-- up to date, revision 0 --\n", out.taken())
		})

		following(t, server, []string{"watch", "--json", "--heartbeats"}, func(out *lines) {
			server.Put(&tidemarkv1.Recommendation{Service: "a/b"})
			<-time.After(15 * time.Second)
			synctest.Wait()
			server.Remove("a/b")
			synctest.Wait()
			require.Equal(t, strings.TrimPrefix(`
{"end_of_snapshot":{},"resume_token":"0@1"}
{"recommendation":{"service":"a/b","revision":"1"},"resume_token":"1@1"}
{"heartbeat":{"revision":"1","server_time":"2000-01-01T00:00:11Z"},"resume_token":"1@1"}
{"removed":{"service":"a/b","revision":"2"},"resume_token":"2@1"}
`, "\n"), out.taken())
		})
	})
}

func TestAgentPrints(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server := newServer(t)
		server.Put(orders())

		following(t, server, []string{"agent"}, func(out *lines) {
			require.Empty(t, out.taken())

			changed := orders()
			changed.Recommended.CpuMillis = 2000
			changed.Mode = tidemarkv1.Mode_MODE_OBSERVE_ONLY
			server.Put(changed)
			synctest.Wait()
			require.Equal(t, "prod/orders-db  up  1 core -> 2 cores, 4Gi -> 8Gi, 3 replicas  [observe only]  "+
				"(memory rejected, rounded)  rev 2\n", out.taken())
		})

		following(t, server, []string{"agent", "--json", "--snapshot=all"}, func(out *lines) {
			require.Contains(t, out.taken(), `{"service":"prod/orders-db","revision":"2",`)
		})

		following(t, server, []string{"agent", "--snapshot=all", "--observe-only=no"}, func(out *lines) {
			require.Empty(t, out.taken())
		})
	})
}

func TestSourceCron(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server := newServer(t)
		server.SetServices(&tidemarkv1.Service{Service: "prod/a"}, &tidemarkv1.Service{Service: "dev/b"})

		following(t, server, []string{"source", "cron", "--period=1m", "--catch-up", "--tenant=prod"}, func(*lines) {
			<-time.After(time.Minute + 2*time.Second)
			synctest.Wait()
			require.Len(t, server.Enqueued(), 2)
			require.Equal(t, "prod/a", server.Enqueued()[1].GetService())
		})
	})
}
