package observe

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/types/known/timestamppb"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/server/store"
)

// fixture is a journal that follows a store.
type fixture struct {
	*testing.T
	*Journal

	memory *store.Memory
}

// start returns a journal that runs until the test ends.
func start(t *testing.T) *fixture {
	t.Helper()

	memory := store.NewMemory()
	f := &fixture{T: t, memory: memory, Journal: New(memory, slog.New(slog.DiscardHandler))}
	f.run()

	return f
}

func (f *fixture) run() {
	ctx, cancel := context.WithCancel(f.Context())
	ended := make(chan error, 1)

	go func() { ended <- f.Journal.Run(ctx) }()

	f.Cleanup(func() {
		cancel()
		require.ErrorIs(f, <-ended, context.Canceled)
	})
}

// sized is as many cores and GiB for each of two replicas.
func sized(units int64) *tidemarkv1.Size {
	return &tidemarkv1.Size{CpuMillis: units * 1000, MemoryBytes: units << 30, Replicas: 2}
}

// evaluate commits what an evaluation saw and advised, valid for an hour.
func (f *fixture) evaluate(service string, inForce, advised int64, change ...func(*tidemarkv1.Recommendation)) {
	f.Helper()

	r := &tidemarkv1.Recommendation{
		Service: service, Allocation: sized(inForce), Recommended: sized(inForce), Observed: sized(advised),
		Mode:         tidemarkv1.Mode_MODE_OBSERVE_ONLY,
		EvaluateTime: timestamppb.Now(), ExpireTime: timestamppb.New(time.Now().Add(time.Hour)),
	}
	for _, c := range change {
		c(r)
	}

	f.commit(r)
}

func (f *fixture) commit(r *tidemarkv1.Recommendation) {
	f.Helper()

	before, err := f.memory.Get(f.Context(), r.GetService())
	if err != nil {
		require.ErrorIs(f, err, store.ErrNotFound)
	}

	_, err = f.memory.Commit(f.Context(), store.Commit{Recommendation: r, Previous: before.Revision, Changed: true})
	require.NoError(f, err)
	synctest.Wait()
}

// during evaluates a service every half an hour for as long.
func (f *fixture) during(d time.Duration, service string, inForce, advised int64) {
	f.Helper()

	for range d / (30 * time.Minute) {
		f.evaluate(service, inForce, advised)
		<-time.After(30 * time.Minute)
	}
}

// report is about the time up to now.
func (f *fixture) report(period time.Duration) *tidemarkv1.GetObserveReportResponse {
	f.Helper()

	return f.Report(Query{Start: time.Now().Add(-period), End: time.Now(), Top: 10})
}

// A day whose outcome is known: advice to grow that was followed two hours later, and advice to shrink that was not.
func TestASyntheticDay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t)
		f.during(2*time.Hour, "prod/a", 1, 2)
		f.during(3*time.Hour, "prod/a", 2, 2)
		f.during(3*time.Hour, "prod/a", 2, 1)
		f.during(2*time.Hour, "prod/a", 2, 2)

		report := f.report(24 * time.Hour)
		require.EqualValues(t, 1, report.GetServiceCount())

		for _, got := range []*tidemarkv1.Observation{report.GetTotal(), report.GetServices()[0]} {
			require.Equal(t, 10*time.Hour, got.GetObservedDuration().AsDuration())
			require.Equal(t, 5*time.Hour, got.GetAgreedDuration().AsDuration())
			require.InDelta(t, 3*2, got.GetSavedCoreHours(), 1e-9)
			require.InDelta(t, 3*2, got.GetSavedGibHours(), 1e-9)
			require.InDelta(t, 2*2, got.GetAddedCoreHours(), 1e-9)
			require.InDelta(t, 2*2, got.GetAddedGibHours(), 1e-9)
			require.EqualValues(t, 1, got.GetUp().GetAdvisedCount())
			require.Equal(t, 2*time.Hour, got.GetUp().GetMedianLead().AsDuration())
			require.Zero(t, got.GetUp().GetUnadvisedCount()+got.GetUp().GetWithdrawnCount())
			require.EqualValues(t, 1, got.GetDown().GetWithdrawnCount())
			require.Nil(t, got.GetDown().GetMedianLead())
		}

		// The last five hours: the change is not in them, what was withdrawn is.
		got := f.report(5 * time.Hour).GetTotal()
		require.Equal(t, 5*time.Hour, got.GetObservedDuration().AsDuration())
		require.Equal(t, 2*time.Hour, got.GetAgreedDuration().AsDuration())
		require.InDelta(t, 6, got.GetSavedCoreHours(), 1e-9)
		require.Zero(t, got.GetAddedCoreHours())
		require.Zero(t, got.GetUp().GetAdvisedCount())
		require.EqualValues(t, 1, got.GetDown().GetWithdrawnCount())
	})
}

func TestTheMedianIsOfAllServices(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t)

		for service, wait := range map[string]time.Duration{"prod/a": time.Hour, "prod/b": 2 * time.Hour, "dev/c": 9 * time.Hour} {
			f.during(wait, service, 3, 1)
			f.during(time.Hour, service, 2, 1) // half of the way, and the advice stands
			f.during(time.Hour, service, 1, 1)
		}

		f.during(time.Hour, "dev/d", 1, 1)
		f.during(time.Hour, "dev/d", 2, 2) // nobody had said so

		total := f.report(24 * time.Hour).GetTotal()
		require.EqualValues(t, 6, total.GetDown().GetAdvisedCount())
		require.Equal(t, time.Hour, total.GetDown().GetMedianLead().AsDuration(), "1, 1, 1, 1, 2 and 9 hours")
		require.EqualValues(t, 1, total.GetUp().GetUnadvisedCount())

		query := Query{Start: time.Now().Add(-24 * time.Hour), End: time.Now(), Top: 1, Tenants: []string{"prod"}}
		report := f.Report(query)
		require.EqualValues(t, 2, report.GetServiceCount())
		require.Len(t, report.GetServices(), 1)
		require.Equal(t, "prod/b", report.GetServices()[0].GetService(), "the largest difference")
		require.EqualValues(t, 4, report.GetTotal().GetDown().GetAdvisedCount())

		query.Tenants, query.Services = nil, []string{"dev/c", "dev/none"}
		require.EqualValues(t, 1, f.Report(query).GetServiceCount())
	})
}

// What nobody looked at is in no report: a recommendation counts until it expires and no longer.
func TestGaps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t)
		f.evaluate("prod/a", 2, 1)
		<-time.After(10 * time.Hour)
		require.Equal(t, time.Hour, f.report(24*time.Hour).GetTotal().GetObservedDuration().AsDuration())

		f.during(time.Hour, "prod/a", 1, 1)

		got := f.report(24 * time.Hour).GetTotal()
		require.Equal(t, 2*time.Hour, got.GetObservedDuration().AsDuration())
		require.Zero(t, got.GetDown().GetAdvisedCount()+got.GetDown().GetWithdrawnCount(), "what happened meanwhile is not known")
		require.Zero(t, f.report(time.Nanosecond).GetTotal().GetAddedCoreHours())
		<-time.After(8 * time.Hour)
		require.Zero(t, f.report(time.Hour).GetServiceCount())
	})
}

// Only what is not to be acted on is observed; in a policy that is so for some of the changes only, those.
func TestWhatIsEnforcedIsNotObserved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t)
		enforced := func(r *tidemarkv1.Recommendation) {
			r.Mode, r.Recommended = tidemarkv1.Mode_MODE_ENFORCE, r.GetObserved()
		}
		partly := func(r *tidemarkv1.Recommendation) { r.Mode = tidemarkv1.Mode_MODE_ENFORCE }

		f.evaluate("prod/enforced", 2, 1, enforced)
		f.evaluate("prod/partly", 2, 1, partly)
		f.evaluate("prod/unknown", 2, 1, func(r *tidemarkv1.Recommendation) { r.Allocation = nil })
		<-time.After(30 * time.Minute)

		report := f.report(time.Hour)
		require.EqualValues(t, 1, report.GetServiceCount())
		require.Equal(t, "prod/partly", report.GetServices()[0].GetService())

		// The people dare.
		f.evaluate("prod/partly", 2, 1, enforced)
		<-time.After(30 * time.Minute)
		require.Equal(t, 30*time.Minute, f.report(time.Hour).GetTotal().GetObservedDuration().AsDuration())
	})
}

// Failures and reports of agents are written to the record, too, and are no evaluations.
func TestOtherWritesSayNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t)
		f.evaluate("prod/a", 2, 1)
		evaluated := timestamppb.Now()

		<-time.After(30 * time.Minute)
		f.evaluate("prod/a", 1, 1, func(r *tidemarkv1.Recommendation) { r.EvaluateTime = evaluated })
		f.evaluate("prod/b", 2, 1, func(r *tidemarkv1.Recommendation) { r.EvaluateTime = nil })

		report := f.report(time.Hour)
		require.EqualValues(t, 1, report.GetServiceCount())
		require.Zero(t, report.GetTotal().GetAgreedDuration().AsDuration())

		_, err := f.memory.Delete(t.Context(), "prod/a")
		require.NoError(t, err)
		synctest.Wait()
		require.Zero(t, f.report(time.Hour).GetServiceCount())
	})
}

// The history of a service is bounded, by its length and by its age.
func TestTheHistoryIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t)

		for i := range int64(3 * maxStretches) {
			f.evaluate("prod/a", 1+i%2, 1)
			<-time.After(time.Minute)
		}

		require.Len(t, f.series["prod/a"].stretches, maxStretches)
		require.Equal(t, maxStretches*time.Minute, f.report(Memory).GetTotal().GetObservedDuration().AsDuration())

		<-time.After(Memory + 2*time.Hour)
		f.evaluate("prod/a", 1, 1)
		require.Len(t, f.series["prod/a"].stretches, 1)

		<-time.After(Memory + 2*time.Hour)
		f.evaluate("prod/a", 1, 1, func(r *tidemarkv1.Recommendation) { r.Mode = tidemarkv1.Mode_MODE_ENFORCE })
		require.Empty(t, f.series)
	})
}

// A journal that begins late knows what is in force.
func TestTheJournalBeginsWithTheStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		memory := store.NewMemory()
		f := &fixture{T: t, memory: memory, Journal: New(memory, slog.New(slog.DiscardHandler))}
		f.evaluate("prod/a", 2, 1)
		<-time.After(10 * time.Minute)
		f.run()
		synctest.Wait()
		require.Equal(t, 10*time.Minute, f.report(time.Hour).GetTotal().GetObservedDuration().AsDuration())
	})
}
