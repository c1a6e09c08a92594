package api

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/server/queue"
)

func requireEqualMessages(t *testing.T, want, got proto.Message) {
	t.Helper()
	require.True(t, proto.Equal(want, got), "want %v, got %v", want, got)
}

func TestTheStatusOfAnEmptyQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		status := startOperated(t).status("")

		requireEqualMessages(t, &tidemarkv1.GetQueueStatusResponse{
			Depth: &tidemarkv1.QueueDepth{},
			Triggers: []*tidemarkv1.TriggerStatus{
				{Trigger: tidemarkv1.Trigger_TRIGGER_SIGNAL, Depth: &tidemarkv1.QueueDepth{}},
				{Trigger: tidemarkv1.Trigger_TRIGGER_MANUAL, Depth: &tidemarkv1.QueueDepth{}},
				{Trigger: tidemarkv1.Trigger_TRIGGER_PERIODIC, Depth: &tidemarkv1.QueueDepth{}},
			},
			Dependencies: []*tidemarkv1.DependencyStatus{{
				Name: usageStore, State: tidemarkv1.DependencyState_DEPENDENCY_STATE_AVAILABLE,
			}},
			Evaluations: &tidemarkv1.EvaluationTotals{},
		}, status)
	})
}

// fill leaves one item of prod in each state, and one of dev that waits.
func (o *operated) fill() {
	o.Helper()

	for _, service := range []string{"prod/failed", "prod/away", "prod/running"} {
		o.enqueue(&tidemarkv1.EnqueueRequest{Service: service, Trigger: signal})
	}

	o.take().Fail(errors.New("no policy"))

	_, gaveUp := o.take().Retry(errors.New("timeout"))
	require.False(o, gaveUp)

	o.take()
	o.enqueue(&tidemarkv1.EnqueueRequest{Service: "prod/waiting", Trigger: periodic})
	o.enqueue(&tidemarkv1.EnqueueRequest{Service: "dev/waiting"})
}

func TestTheStatusCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := startOperated(t, func(c *queue.Config) { c.Rand = func(n int64) int64 { return n - 1 } })
		o.fill()
		o.enqueue(&tidemarkv1.EnqueueRequest{Service: "dev/waiting"})                   // merged
		o.enqueue(&tidemarkv1.EnqueueRequest{Service: "dev/waiting", Trigger: signal})  // moved up
		o.enqueue(&tidemarkv1.EnqueueRequest{Service: "prod/away", Trigger: signal})    // deferred
		o.enqueue(&tidemarkv1.EnqueueRequest{Service: "prod/running", Trigger: signal}) // once more
		came := timestamppb.Now()

		<-time.After(500 * time.Millisecond)

		status := o.status("")
		prod := &tidemarkv1.QueueDepth{Waiting: 1, Running: 1, BackingOff: 1, Failed: 1}
		dev := &tidemarkv1.QueueDepth{Waiting: 1}

		requireEqualMessages(t, &tidemarkv1.QueueDepth{Waiting: 2, Running: 1, BackingOff: 1, Failed: 1}, status.GetDepth())
		requireEqualMessages(t, came, status.GetOldestEnqueueTime())
		requireEqualMessages(t, &tidemarkv1.EvaluationTotals{Retried: 1, Failed: 1}, status.GetEvaluations())
		require.InDelta(t, 9, status.GetEnqueueRate(), 0.001, "over a second at least")
		require.InDelta(t, 2, status.GetEvaluationRate(), 0.001)

		requireEqualMessages(t, &tidemarkv1.TriggerStatus{
			Trigger: signal, Waiting: 1, QueuedTotal: 4, MovedUpTotal: 1, DeferredTotal: 1,
			Depth:             &tidemarkv1.QueueDepth{Waiting: 1, Running: 1, BackingOff: 1, Failed: 1},
			OldestEnqueueTime: came, EnqueueRate: 6, StartRate: 3,
		}, status.GetTriggers()[0])
		requireEqualMessages(t, &tidemarkv1.TriggerStatus{
			Trigger: tidemarkv1.Trigger_TRIGGER_MANUAL, QueuedTotal: 1, MergedTotal: 1,
			Depth: &tidemarkv1.QueueDepth{}, EnqueueRate: 2,
		}, status.GetTriggers()[1])
		requireEqualMessages(t, &tidemarkv1.TriggerStatus{
			Trigger: periodic, Waiting: 1, QueuedTotal: 1,
			Depth: &tidemarkv1.QueueDepth{Waiting: 1}, OldestEnqueueTime: came, EnqueueRate: 1,
		}, status.GetTriggers()[2])

		require.Len(t, status.GetTenants(), 2)
		requireEqualMessages(t, &tidemarkv1.TenantStatus{
			Tenant: "prod", Depth: prod, OldestEnqueueTime: came, ArrivalRate: 4,
		}, status.GetTenants()[0])
		requireEqualMessages(t, &tidemarkv1.TenantStatus{
			Tenant: "dev", Depth: dev, OldestEnqueueTime: came, ArrivalRate: 1,
		}, status.GetTenants()[1])

		// One tenant's part: the rest is still that of all.
		ofDev := o.status("dev")
		requireEqualMessages(t, dev, ofDev.GetDepth())
		requireEqualMessages(t, came, ofDev.GetOldestEnqueueTime())
		require.Len(t, ofDev.GetTenants(), 1)
		require.Len(t, ofDev.GetTriggers(), 3)
		requireEqualMessages(t, status.GetTriggers()[0], ofDev.GetTriggers()[0])

		requireEqualMessages(t, status.GetTenants()[1], ofDev.GetTenants()[0])

		ofNobody := o.status("nobody")
		requireEqualMessages(t, &tidemarkv1.QueueDepth{}, ofNobody.GetDepth())
		require.Nil(t, ofNobody.GetOldestEnqueueTime())
	})
}

// From when on it stops, the queue says so, while its evaluations are finished.
func TestTheStatusOfAQueueThatStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := startOperated(t)
		o.enqueue(&tidemarkv1.EnqueueRequest{Service: "prod/a"})
		lease := o.take()
		require.False(t, o.status("").GetStopping())

		drained := make(chan struct{})

		go func() {
			o.queue.Drain(t.Context())
			close(drained)
		}()

		synctest.Wait()

		status := o.status("")
		require.True(t, status.GetStopping())
		require.EqualValues(t, 1, status.GetDepth().GetRunning())

		lease.Succeed()
		<-drained
		require.True(t, o.status("prod").GetStopping(), "whoever's part is asked for")
	})
}

func TestTheStatusShowsTheDeepestTenants(t *testing.T) {
	o := startOperated(t)

	const tenants = deepestTenants + 20

	for i := range tenants {
		for range i {
			o.enqueue(&tidemarkv1.EnqueueRequest{Service: fmt.Sprintf("t%d/s%d", i, o.queue.Depth().Waiting)})
		}
	}

	shown := o.status("").GetTenants()
	require.Len(t, shown, deepestTenants)

	for i, tenant := range shown {
		require.Equal(t, fmt.Sprintf("t%d", tenants-1-i), tenant.GetTenant())
		require.EqualValues(t, tenants-1-i, tenant.GetDepth().GetWaiting())
	}
}

// What evaluations wait for is told in words, through the whole of an outage.
func TestTheStatusOfADependency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const recovery = 10 * time.Second

		o := startOperated(t, func(c *queue.Config) {
			c.Breaker.Threshold, c.Breaker.RecoveryTime = 1, recovery
		})
		check := func(state tidemarkv1.DependencyState, unavailable bool, message string, since *timestamppb.Timestamp) {
			t.Helper()
			requireEqualMessages(t, &tidemarkv1.DependencyStatus{
				Name: usageStore, State: state, Unavailable: unavailable, Message: message, SinceTime: since,
			}, o.status("").GetDependencies()[0])
		}

		const waiting = "waiting for usage store: connection refused"

		o.enqueue(&tidemarkv1.EnqueueRequest{Service: "prod/a"})
		o.take().Unavailable(usageStore, errors.New("usage store: connection refused"))

		since := timestamppb.Now()
		check(tidemarkv1.DependencyState_DEPENDENCY_STATE_UNAVAILABLE, true, waiting, since)

		probe := o.take()
		check(tidemarkv1.DependencyState_DEPENDENCY_STATE_PROBING, true, waiting, since)

		probe.Succeed()
		check(tidemarkv1.DependencyState_DEPENDENCY_STATE_RECOVERING, false,
			"usage store is back after: connection refused", since)

		<-time.After(recovery)
		check(tidemarkv1.DependencyState_DEPENDENCY_STATE_AVAILABLE, false, "", nil)
		require.EqualValues(t, 1, o.status("").GetEvaluations().GetUnavailable())
	})
}
