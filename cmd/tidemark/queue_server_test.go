package main

import (
	"context"
	"log/slog"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/test/bufconn"

	"github.com/tidemark-project/tidemark/clients/tidemark"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/recommender/policies"
	"github.com/tidemark-project/tidemark/server"
	"github.com/tidemark-project/tidemark/sources"
	"github.com/tidemark-project/tidemark/sources/cron"
)

// twoServices is an inventory of two.
type twoServices struct{}

func (twoServices) List(context.Context) ([]*tidemarkv1.Service, error) {
	return []*tidemarkv1.Service{{Service: "prod/a"}, {Service: "prod/b"}}, nil
}

// realServer runs the real server within a bubble and returns a client of it.
func realServer(t *testing.T) *tidemark.Client {
	t.Helper()

	const window = 1 << 16

	listener := bufconn.Listen(window)
	config := server.DefaultConfig()
	config.HTTPListen = ""

	complete, err := config.Complete(t.Context(), server.Dependencies{
		Usage: emptyUsage{}, Inventory: twoServices{}, Policies: policies.Default(), Listener: listener,
	}, slog.New(slog.DiscardHandler))
	require.NoError(t, err)

	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)

	go func() { done <- complete.Run(ctx) }()

	client, err := tidemark.Dial("passthrough:///server", tidemark.WithPlaintext(), tidemark.WithDialOptions(
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }),
		grpc.WithStaticStreamWindowSize(window), grpc.WithStaticConnWindowSize(window)))
	require.NoError(t, err)

	t.Cleanup(func() {
		stop()
		require.NoError(t, <-done)
		require.NoError(t, client.Close())
	})

	return client
}

// While accepting is paused sources keep what they have found, however long that is, and nothing of it is lost.
func TestSourcesKeepTheirWorkDuringAPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := realServer(t)
		status := func() *tidemarkv1.GetQueueStatusResponse {
			status, err := client.Queue().GetQueueStatus(t.Context(), &tidemarkv1.GetQueueStatusRequest{})
			require.NoError(t, err)

			return status
		}

		<-time.After(time.Minute) // the inventory is read

		_, err := client.Queue().PauseQueue(t.Context(), &tidemarkv1.PauseQueueRequest{
			Scope: tidemarkv1.PauseScope_PAUSE_SCOPE_ACCEPTING, Author: "ana", Reason: "upgrade",
		})
		require.NoError(t, err)

		ctx, stop := context.WithCancel(t.Context())
		sweep, signal := make(chan error, 1), make(chan error, 1)
		discard := slog.New(slog.DiscardHandler)

		go func() {
			source := cron.New(cron.Config{
				Period: time.Hour, Inventory: client, RefreshInterval: time.Minute, CatchUp: true,
				Select: &tidemarkv1.ListServicesRequest{},
			}, discard)
			sweep <- source.Run(ctx, client)
		}()

		go func() {
			signal <- sources.Deliver(ctx, discard, client, []*tidemarkv1.EnqueueRequest{{
				Service: "prod/c", Trigger: tidemarkv1.Trigger_TRIGGER_SIGNAL, Source: "clickhouse", Detail: "oom_kills=1",
			}})
		}()

		<-time.After(30 * time.Minute)
		require.Empty(t, signal, "it is still being delivered")
		require.Zero(t, status().GetEvaluations().GetSucceeded())
		require.Zero(t, status().GetDepth().GetWaiting())

		_, err = client.Queue().ResumeQueue(t.Context(), &tidemarkv1.ResumeQueueRequest{
			Scope: tidemarkv1.PauseScope_PAUSE_SCOPE_ACCEPTING, Author: "ana",
		})
		require.NoError(t, err)

		<-time.After(time.Minute)
		require.NoError(t, <-signal)

		for _, service := range []string{"prod/a", "prod/b", "prod/c"} {
			recommendation, err := client.Get(t.Context(), &tidemarkv1.GetRecommendationRequest{
				Service: service, View: tidemarkv1.View_VIEW_FULL,
			})
			require.NoError(t, err, service)
			require.NotEmpty(t, recommendation.GetTriggers())
		}

		stop()
		require.ErrorIs(t, <-sweep, context.Canceled)
	})
}
