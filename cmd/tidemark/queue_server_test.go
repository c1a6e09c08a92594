package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/test/bufconn"

	"github.com/tidemark-project/tidemark/clients/tidemark"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/recommender/policies"
	"github.com/tidemark-project/tidemark/recommender/usage"
	"github.com/tidemark-project/tidemark/server"
	"github.com/tidemark-project/tidemark/server/worker"
	"github.com/tidemark-project/tidemark/sources"
	"github.com/tidemark-project/tidemark/sources/cron"
)

// twoServices is an inventory of two.
type twoServices struct{}

func (twoServices) List(context.Context) ([]*tidemarkv1.Service, error) {
	return []*tidemarkv1.Service{{Service: "prod/a"}, {Service: "prod/b"}}, nil
}

// realServer is where a real server is reached within a bubble.
type realServer struct {
	listener *bufconn.Listener
	// pageTime is how long a page of items is on its way.
	pageTime time.Duration
}

func (s *realServer) Target() string { return "passthrough:///server" }

func (s *realServer) DialOption() tidemark.Option {
	return tidemark.WithDialOptions(
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return s.listener.DialContext(ctx) }),
		grpc.WithStaticStreamWindowSize(transportWindow), grpc.WithStaticConnWindowSize(transportWindow),
		grpc.WithChainUnaryInterceptor(func(
			ctx context.Context, method string, request, reply any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker,
			options ...grpc.CallOption,
		) error {
			if method == tidemarkv1.QueueService_ListQueueItems_FullMethodName {
				<-time.After(s.pageTime)
			}

			return invoke(ctx, method, request, reply, conn, options...)
		}))
}

// runServer runs the real server within a bubble and returns a client of it.
func runServer(t *testing.T, config server.Config, known worker.Usage) (*realServer, *tidemark.Client) {
	t.Helper()

	place := &realServer{listener: bufconn.Listen(transportWindow)}
	config.HTTPListen = ""

	complete, err := config.Complete(t.Context(), server.Dependencies{
		Usage: known, Inventory: twoServices{}, Policies: policies.Default(), Listener: place.listener,
	}, slog.New(slog.DiscardHandler))
	require.NoError(t, err)

	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)

	go func() { done <- complete.Run(ctx) }()

	client, err := tidemark.Dial(place.Target(), tidemark.WithPlaintext(), place.DialOption())
	require.NoError(t, err)

	t.Cleanup(func() {
		stop()
		require.NoError(t, <-done)
		require.NoError(t, client.Close())
	})

	return place, client
}

// While accepting is paused sources keep what they have found, however long that is, and nothing of it is lost.
func TestSourcesKeepTheirWorkDuringAPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, client := runServer(t, server.DefaultConfig(), emptyUsage{})
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

// brokenUsage fails every evaluation.
type brokenUsage struct{}

func (brokenUsage) Snapshot(context.Context, string, usage.Request) (usage.Snapshot, error) {
	return usage.Snapshot{}, errors.New("no such column")
}

// All that were given up are retried, however many pages they fill and however long all of those take together, and each
// of them once, though each fails again while the others are gone through.
func TestQueueRetryOfManyThatFailed(t *testing.T) {
	const failed = 2*listPage + 1

	synctest.Test(t, func(t *testing.T) {
		config := server.DefaultConfig()
		config.Queue.BackoffLimit = 1
		config.Queue.Breaker.Threshold = math.MaxInt // it is the services that are at fault
		place, client := runServer(t, config, brokenUsage{})

		requests := make([]*tidemarkv1.EnqueueRequest, failed)
		for i := range requests {
			requests[i] = &tidemarkv1.EnqueueRequest{Service: fmt.Sprintf("dev/s%d", i), Trigger: tidemarkv1.Trigger_TRIGGER_MANUAL}
		}

		_, err := client.BatchEnqueue(t.Context(), requests)
		require.NoError(t, err)

		<-time.After(time.Minute)

		depth := func() *tidemarkv1.QueueDepth {
			status, err := client.Queue().GetQueueStatus(t.Context(), &tidemarkv1.GetQueueStatusRequest{Tenant: "dev"})
			require.NoError(t, err)

			return status.GetDepth()
		}
		require.EqualValues(t, failed, depth().GetFailed())

		place.pageTime = 6 * time.Second

		var line queueLine

		require.NoError(t, line.run(t.Context(), place, "retry", "--failed", "--tenant=dev"))

		retried := make(map[string]int)
		for text := range strings.Lines(line.out.taken()) {
			retried[text]++
		}

		require.Len(t, retried, failed)
		require.Equal(t, 1, retried["dev/s77  is due now\n"])

		for text, times := range retried {
			require.Equal(t, 1, times, text)
		}

		<-time.After(time.Minute)
		require.EqualValues(t, failed, depth().GetFailed(), "they have failed again")

		require.NoError(t, line.run(t.Context(), place, "failed", "--tenant=dev", "--limit=0"))
		require.Equal(t, 1+failed, strings.Count(line.out.taken(), "\n"), "titles and all")
		require.Empty(t, line.errOut.taken())
	})
}
