package main

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// busyQueue is a status with all that there can be, but for what holds a queue up.
func busyQueue() *tidemarkv1.GetQueueStatusResponse {
	return &tidemarkv1.GetQueueStatusResponse{
		Depth:             &tidemarkv1.QueueDepth{Waiting: 1234, Running: 16, BackingOff: 4, Failed: 2},
		OldestEnqueueTime: earlier(3 * time.Minute),
		EnqueueRate:       12.34, EvaluationRate: 10,
		Triggers: []*tidemarkv1.TriggerStatus{
			{
				Trigger: tidemarkv1.Trigger_TRIGGER_SIGNAL, Waiting: 34, QueuedTotal: 1, MergedTotal: 2, MovedUpTotal: 3,
				DeferredTotal: 4, RefusedTotal: 5,
				Depth:             &tidemarkv1.QueueDepth{Waiting: 34, Running: 15, BackingOff: 3, Failed: 2},
				OldestEnqueueTime: earlier(3 * time.Minute), EnqueueRate: 12.34, StartRate: 10,
			},
			{Trigger: tidemarkv1.Trigger_TRIGGER_MANUAL, Waiting: 7}, // of a server that says no more
		},
		Tenants: []*tidemarkv1.TenantStatus{
			{
				Tenant: "prod", Depth: &tidemarkv1.QueueDepth{Waiting: 1200, Running: 15, BackingOff: 3, Failed: 2},
				OldestEnqueueTime: earlier(90 * time.Second), ArrivalRate: 3.21, DepartureRate: 0.05,
			},
			{Tenant: "dev", Depth: &tidemarkv1.QueueDepth{Waiting: 34, Running: 1, BackingOff: 1}},
		},
		Dependencies: []*tidemarkv1.DependencyStatus{
			{Name: "usage store", State: tidemarkv1.DependencyState_DEPENDENCY_STATE_AVAILABLE},
		},
		Evaluations: &tidemarkv1.EvaluationTotals{Succeeded: 1200, Retried: 3, GaveUp: 2},
	}
}

func TestQueueStatus(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server := newServer(t)
		server.SetQueueStatus(busyQueue())

		require.Equal(t, strings.TrimPrefix(`
accepting and evaluating
  waiting      1234
  running      16
  backing off  4
  failed       2; "tidemark queue failed" says why
  oldest       3m
  per second   12.3 taken in, 10.0 evaluated, over the last minute
  evaluations  1200 succeeded, 3 failed to be tried again, 2 items given up, since the start

TRIGGER  WAITING  RUNNING  BACKING OFF  FAILED  OLDEST  TAKEN IN/S  STARTED/S
signal   34       15       3            2       3m      12.3        10.0
manual   7        0        0            0       -       0.0         0.0

TRIGGER  QUEUED  MERGED  MOVED UP  DEFERRED  REFUSED
signal   1       2       3         4         5
manual   0       0       0         0         0

TENANT  WAITING  RUNNING  BACKING OFF  FAILED  OLDEST  CAME/S  LEFT/S
prod    1200     15       3            2       90s     3.2     0.1
dev     34       1        1            0       -       0.0     0.0
`, "\n"), queuePrinted(t, server, "status"))

		ofProd := busyQueue()
		ofProd.Tenants = ofProd.GetTenants()[:1]
		server.SetQueueStatus(ofProd)

		require.Equal(t, strings.TrimPrefix(`
accepting and evaluating
  tenant       prod
  waiting      1234
  running      16
  backing off  4
  failed       2; "tidemark queue failed" says why
  oldest       3m
  per second   3.2 came, 0.1 left, over the last minute
`, "\n"), queuePrinted(t, server, "status", "--tenant=prod"), "what is the whole queue's is left out")

		require.Contains(t, queuePrinted(t, server, "status", "--json"),
			`{"depth":{"waiting":"1234","running":"16","backing_off":"4","failed":"2"}`)
	})
}

// A server that stops says so, for people and for programs.
func TestQueueStatusOfAServerThatStops(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server := newServer(t)
		server.SetQueueStatus(&tidemarkv1.GetQueueStatusResponse{Stopping: true})

		printed := queuePrinted(t, server, "status")
		require.True(t, strings.HasPrefix(printed, "stopping: takes nothing in, finishes what runs\n"), printed)
		require.NotContains(t, printed, "accepting")
		require.Contains(t, queuePrinted(t, server, "status", "--json"), `"stopping":true`)
	})
}

func TestQueueStatusOfAnEmptyQueue(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		require.Equal(t, strings.TrimPrefix(`
accepting and evaluating
  waiting      0
  running      0
  backing off  0
  failed       0
  oldest       -
  per second   0.0 taken in, 0.0 evaluated, over the last minute
  evaluations  0 succeeded, since the start
`, "\n"), queuePrinted(t, newServer(t), "status"))
	})
}

// What holds the queue up stands at the top, in words.
func TestQueueHeadlines(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		<-time.After(12*time.Hour + 5*time.Minute)

		now := time.Now().UTC()
		status := &tidemarkv1.GetQueueStatusResponse{
			Stopping: true,
			Pauses: []*tidemarkv1.Pause{
				{
					Scope: tidemarkv1.PauseScope_PAUSE_SCOPE_ACCEPTING, Author: "ben", Reason: "flood\nfrom a script",
					PauseTime: earlier(26 * time.Hour),
				},
				{
					Scope: tidemarkv1.PauseScope_PAUSE_SCOPE_EVALUATING, Author: "ana", Reason: "ClickHouse upgrade",
					PauseTime: earlier(2 * time.Minute), ExpireTime: later(8 * time.Minute),
				},
			},
			Dependencies: []*tidemarkv1.DependencyStatus{
				{Name: "store", State: tidemarkv1.DependencyState_DEPENDENCY_STATE_AVAILABLE},
				{
					Name: "usage store", State: tidemarkv1.DependencyState_DEPENDENCY_STATE_UNAVAILABLE, Unavailable: true,
					Message: "waiting for usage store: connection refused", SinceTime: earlier(14 * time.Second),
				},
				{
					Name: "advisor", State: tidemarkv1.DependencyState_DEPENDENCY_STATE_PROBING, Unavailable: true,
					Message: "waiting for advisor: timeout", SinceTime: earlier(time.Hour),
				},
				{
					Name: "etcd", State: tidemarkv1.DependencyState_DEPENDENCY_STATE_RECOVERING,
					Message: "etcd is back after: no leader", SinceTime: earlier(time.Minute),
				},
				{Name: "new", State: 99, Message: "new is half there"},
			},
		}

		require.Equal(t, []string{
			"stopping: takes nothing in, finishes what runs",
			"accepting paused by ben since 31 Dec 10:05 (26h): flood from a script; until it is resumed",
			"evaluating paused by ana since 12:03 (2m): ClickHouse upgrade; ends in 8m",
			"waiting for usage store since 12:04 (14s): connection refused",
			"waiting for advisor since 11:05 (60m): timeout",
			"etcd is back: what has waited is evaluated little by little",
			"new is half there",
		}, queueHeadlines(status, now))

		server := newServer(t)
		server.SetQueueStatus(status)
		require.Contains(t, queuePrinted(t, server, "status"), "advisor since ")
		require.Contains(t, queuePrinted(t, server, "status", "--tenant=dev"), "etcd is back", "it concerns every tenant")
	})
}

func TestEvaluationsText(t *testing.T) {
	t.Parallel()

	require.Equal(t, "1 succeeded, 2 failed to be tried again, 3 failed for good, 4 lacked something outside, 5 cut short, "+
		"6 items given up, since the start", evaluationsText(&tidemarkv1.EvaluationTotals{
		Succeeded: 1, Retried: 2, Failed: 3, Unavailable: 4, Released: 5, GaveUp: 6,
	}))
}

func TestQueueStatusIsWatched(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server := newServer(t)
		server.SetQueueStatus(busyQueue())

		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)

		var line queueLine

		go func() { done <- line.run(ctx, server, "status", "--watch", "--tenant=prod") }()

		synctest.Wait()
		require.Contains(t, line.out.taken(), "  waiting      1234")

		busy := busyQueue()
		busy.Depth.Waiting = 7
		server.SetQueueStatus(busy)
		<-time.After(queueStatusInterval)
		synctest.Wait()
		require.Contains(t, line.out.taken(), "  waiting      7")
		require.Empty(t, line.errOut.taken())

		// A server that is away for a while is reported and waited for.
		server.FailWith(func(string) error { return status.Error(codes.Internal, "broken") })
		<-time.After(queueStatusInterval)
		synctest.Wait()
		require.Empty(t, line.out.taken())
		require.Contains(t, line.errOut.taken(), "broken")

		server.FailWith(nil)
		<-time.After(queueStatusInterval)
		synctest.Wait()
		require.Contains(t, line.out.taken(), "  waiting      7")

		cancel()
		require.ErrorIs(t, <-done, context.Canceled)
	})
}
