package worker

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"
	"pgregory.net/rapid"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/size"
	"github.com/tidemark-project/tidemark/recommender/usage"
	"github.com/tidemark-project/tidemark/server/queue"
	"github.com/tidemark-project/tidemark/server/store"
)

const (
	appliedOutcome = tidemarkv1.ScalingOutcome_SCALING_OUTCOME_APPLIED
	refusedOutcome = tidemarkv1.ScalingOutcome_SCALING_OUTCOME_REFUSED
)

// report writes down what an agent says, as the API does.
func (f *fixture) report(service string, outcome tidemarkv1.ScalingOutcome, allocation *tidemarkv1.Size) {
	f.Helper()

	before, err := f.store.Get(f.Context(), service)
	require.NoError(f, err)

	reported := proto.CloneOf(before.Recommendation)
	reported.ScalingReport = &tidemarkv1.ScalingReport{
		Revision: reported.GetRevision(), Outcome: outcome, Allocation: allocation, ReportTime: timestamppb.Now(),
	}

	_, err = f.store.Commit(f.Context(), store.Commit{
		Recommendation: reported, State: before.State, Previous: before.Revision,
	})
	require.NoError(f, err)
}

// evaluate has the service evaluated and returns what came of it.
func (f *fixture) evaluate(service string, trigger queue.Trigger) *tidemarkv1.Recommendation {
	f.Helper()
	f.enqueue(service, trigger)
	synctest.Wait()

	return f.recommendation(service)
}

// inventory makes the inventory say that it saw a size at a time.
func (f *fixture) inventory(millis int64, at time.Time) {
	f.usage.set(func(_ context.Context, service string) (usage.Snapshot, error) {
		s := seen(service)
		s.Allocation.CPUMillis, s.AllocationTime = millis, at

		return s, nil
	})
}

// cooling starts a pool whose policy has the cool-downs.
func cooling(t *testing.T, up, down time.Duration) *fixture {
	t.Helper()

	f := start(t)
	f.sizing.effective[""].Policy.CoolDown = policy.CoolDown{Up: up, Down: down}

	return f
}

// needOf makes every evaluation propose the need and keep the state.
func (f *fixture) needOf(millis int64) {
	f.recommender.set(func(in recommender.Input) recommender.Proposal {
		return recommender.Proposal{
			Need: size.Resources{CPUMillis: millis, MemoryBytes: in.Allocation.MemoryBytes}, State: in.State,
		}
	})
}

func hasReason(r *tidemarkv1.Recommendation, wanted tidemarkv1.Reason) bool {
	return slices.Contains(r.GetReasons(), wanted)
}

// The inventory is minutes behind the agent. Until it has caught up, the evaluation goes by what the agent said: it
// neither takes the change back nor forgets that there was one.
func TestAReportedChangeCountsBeforeTheInventoryShowsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const coolDown = 20 * time.Minute

		f := cooling(t, 0, coolDown)
		began := time.Now()
		f.inventory(1000, began)
		f.needOf(2000)
		require.EqualValues(t, 2000, f.evaluate("prod/a", queue.Periodic).GetRecommended().GetCpuMillis())

		<-time.After(time.Minute)
		f.report("prod/a", appliedOutcome, &tidemarkv1.Size{CpuMillis: 2000})

		reported := time.Now()

		<-time.After(2 * time.Minute)

		got := f.evaluate("prod/a", queue.Periodic)
		require.EqualValues(t, 2000, got.GetAllocation().GetCpuMillis())
		require.EqualValues(t, 2000, got.GetRecommended().GetCpuMillis(), "the change is not taken back")
		require.Equal(t, tidemarkv1.Direction_DIRECTION_NONE, got.GetDirection())

		// The load falls: the cool-down counts from the report.
		f.needOf(500)

		got = f.evaluate("prod/a", queue.Periodic)
		require.EqualValues(t, 2000, got.GetRecommended().GetCpuMillis())
		require.True(t, hasReason(got, tidemarkv1.Reason_REASON_COOL_DOWN), got.GetReasons())

		f.inventory(2000, time.Now()) // it has caught up, which is no change again
		<-time.After(time.Until(reported.Add(coolDown - time.Second)))
		require.EqualValues(t, 2000, f.evaluate("prod/a", queue.Periodic).GetRecommended().GetCpuMillis())

		<-time.After(time.Second)
		require.EqualValues(t, 500, f.evaluate("prod/a", queue.Periodic).GetRecommended().GetCpuMillis())
	})
}

// Both directions have their own time, and an inventory that is faster than the next evaluation does not move it.
func TestAReportStartsTheCoolDownOfItsDirection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := cooling(t, 30*time.Minute, 0)
		f.inventory(1000, time.Now())
		f.needOf(2000)
		f.evaluate("prod/a", queue.Periodic)
		<-time.After(time.Minute)
		f.report("prod/a", appliedOutcome, &tidemarkv1.Size{CpuMillis: 2000})

		reported := time.Now()

		<-time.After(10 * time.Minute)
		f.inventory(2000, time.Now())
		f.needOf(4000)
		require.EqualValues(t, 2000, f.evaluate("prod/a", queue.Periodic).GetRecommended().GetCpuMillis())

		<-time.After(time.Until(reported.Add(30 * time.Minute)))
		require.EqualValues(t, 4000, f.evaluate("prod/a", queue.Periodic).GetRecommended().GetCpuMillis())

		// A fall does not hold up a rise.
		f.needOf(1000)
		f.evaluate("prod/a", queue.Periodic)
		f.report("prod/a", appliedOutcome, &tidemarkv1.Size{CpuMillis: 1000})
		f.needOf(2000)
		require.EqualValues(t, 2000, f.evaluate("prod/a", queue.Periodic).GetRecommended().GetCpuMillis())
	})
}

// What an agent said is believed until the inventory knows better, or for so long only.
func TestTheInventoryHasTheLastWord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := cooling(t, 0, 0)
		began := time.Now()
		allocation := func() int64 { return f.evaluate("prod/b", queue.Periodic).GetAllocation().GetCpuMillis() }

		f.inventory(1000, began)
		f.needOf(2000)
		require.EqualValues(t, 1000, allocation())
		<-time.After(time.Minute)
		f.report("prod/b", appliedOutcome, &tidemarkv1.Size{CpuMillis: 2000})

		reported := time.Now()

		f.inventory(1000, reported.Add(inventoryLag))
		require.EqualValues(t, 2000, allocation(), "it may have looked before the change")
		f.inventory(1000, reported.Add(inventoryLag+1))
		require.EqualValues(t, 1000, allocation(), "the change was undone")
		f.inventory(1000, began)
		<-time.After(time.Until(reported.Add(reportHolds)))
		require.EqualValues(t, 2000, allocation())
		<-time.After(1)
		require.EqualValues(t, 1000, allocation(), "it did not last")
	})
}

func TestReportsThatChangeNothing(t *testing.T) {
	known := usage.Snapshot{Allocation: allocated}
	scaling := recommender.Scaling{Allocation: allocated}
	larger := &tidemarkv1.Size{CpuMillis: 4000}

	for name, c := range map[string]struct {
		outcome tidemarkv1.ScalingOutcome
		size    *tidemarkv1.Size
		seen    usage.Snapshot
	}{
		"none":               {0, nil, known},
		"refused":            {refusedOutcome, larger, known},
		"of an unknown size": {appliedOutcome, nil, known},
		"beyond all reason":  {appliedOutcome, &tidemarkv1.Size{CpuMillis: size.MaxCPUMillis + 1}, known},
		"of a service that the inventory does not know": {appliedOutcome, larger, usage.Snapshot{}},
	} {
		t.Run(name, func(t *testing.T) {
			got, after := heed(&tidemarkv1.Recommendation{ScalingReport: &tidemarkv1.ScalingReport{
				Outcome: c.outcome, Allocation: c.size, ReportTime: timestamppb.Now(),
			}}, c.seen, scaling, time.Now())
			require.Equal(t, c.seen.Allocation, got)
			require.Equal(t, scaling, after)
		})
	}
}

// However often an evaluation looks at the same report, and whatever it says: a time never goes back, and a resource that
// did not move has none.
func TestChangesOfReports(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sizes := rapid.Custom(func(t *rapid.T) size.Size {
			return size.Size{
				CPUMillis:   rapid.Int64Range(1, 3).Draw(t, "cpu"),
				MemoryBytes: rapid.Int64Range(1, 3).Draw(t, "memory"),
				Replicas:    rapid.Int32Range(0, 2).Draw(t, "replicas"),
			}
		})
		from, to := sizes.Draw(t, "from"), sizes.Draw(t, "to")
		past, at := time.Unix(rapid.Int64Range(1, 9).Draw(t, "past"), 0), time.Unix(rapid.Int64Range(1, 9).Draw(t, "at"), 0)
		before := recommender.Scaling{
			Allocation: from, UpTime: past, DownTime: past, CPUUpTime: past, MemoryUpTime: past,
		}

		after := changedAt(before, to, at)
		again := changedAt(after, to, at)
		require.Equal(t, after, again)
		require.Equal(t, to, after.Allocation)

		replicas := func(sign int32) bool {
			return from.Replicas > 0 && to.Replicas > 0 && sign*(to.Replicas-from.Replicas) > 0
		}
		want := func(moved bool) time.Time {
			if moved && at.After(past) {
				return at
			}

			return past
		}

		require.Equal(t, want(to.CPUMillis > from.CPUMillis), after.CPUUpTime)
		require.Equal(t, want(to.MemoryBytes > from.MemoryBytes), after.MemoryUpTime)
		require.Equal(t, want(to.CPUMillis > from.CPUMillis || to.MemoryBytes > from.MemoryBytes || replicas(1)), after.UpTime)
		require.Equal(t, want(to.CPUMillis < from.CPUMillis || to.MemoryBytes < from.MemoryBytes || replicas(-1)), after.DownTime)
	})
}

// A person who asks for a service whose value was refused wants it delivered again; the sweep does not.
func TestARefusedValueIsSentAgainWhenAPersonAsks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t)
		published := func() int64 {
			record, err := f.store.Get(t.Context(), "prod/a")
			require.NoError(t, err)

			return record.Published
		}

		first := f.evaluate("prod/a", queue.Manual)
		f.evaluate("prod/a", queue.Manual)
		require.Equal(t, first.GetRevision(), published(), "nobody has refused it")

		f.report("prod/a", refusedOutcome, nil)

		for _, trigger := range []queue.Trigger{queue.Periodic, queue.Signal} {
			got := f.evaluate("prod/a", trigger)
			require.Equal(t, refusedOutcome, got.GetScalingReport().GetOutcome(), "it stays visible")
			require.Equal(t, first.GetRevision(), published())
		}

		for range 2 {
			before := published()
			got := f.evaluate("prod/a", queue.Manual)
			require.Equal(t, first.GetRevision(), got.GetRevision(), "it is the same value")
			require.Greater(t, published(), before)
		}

		// The report says nothing of the next value.
		f.recommender.need(4000)

		next := f.evaluate("prod/a", queue.Manual)
		require.Equal(t, next.GetRevision(), published())
		f.evaluate("prod/a", queue.Manual)
		require.Equal(t, next.GetRevision(), published())
	})
}
