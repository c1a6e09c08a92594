package api

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/server/store"
)

const (
	applied   = tidemarkv1.ScalingOutcome_SCALING_OUTCOME_APPLIED
	refused   = tidemarkv1.ScalingOutcome_SCALING_OUTCOME_REFUSED
	failed    = tidemarkv1.ScalingOutcome_SCALING_OUTCOME_FAILED
	postponed = tidemarkv1.ScalingOutcome_SCALING_OUTCOME_DEFERRED
)

// report reports and returns the current revision.
func (f *fixture) report(request *tidemarkv1.ReportScalingRequest) int64 {
	f.Helper()

	response, err := f.ReportScaling(f.Context(), request)
	require.NoError(f, err)

	return response.GetRevision()
}

// record is what the store holds of a service.
func (f *fixture) record(service string) store.Record {
	f.Helper()

	record, err := f.memory.Get(f.Context(), service)
	require.NoError(f, err)

	return record
}

// sized commits a recommendation with a size and returns its revision.
func (f *fixture) sized(service string, millis int64) int64 {
	f.Helper()

	before, err := f.memory.Get(f.Context(), service)
	if err != nil {
		require.ErrorIs(f, err, store.ErrNotFound)
	}

	record, err := f.memory.Commit(f.Context(), store.Commit{
		Recommendation: &tidemarkv1.Recommendation{
			Service: service, Recommended: &tidemarkv1.Size{CpuMillis: millis, MemoryBytes: 1 << 30, Replicas: 3},
			ScalingReport: before.Recommendation.GetScalingReport(),
		},
		State: []byte("state"), Changed: true, Previous: before.Revision,
	})
	require.NoError(f, err)

	return record.Revision
}

func TestAReportIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t)
		revision := f.sized("prod/a", 2000)
		before := f.record("prod/a")

		require.Equal(t, revision, f.report(&tidemarkv1.ReportScalingRequest{
			Service: "prod/a", Revision: revision, Outcome: refused, Message: "freeze until Monday", Agent: "kube",
		}))
		synctest.Wait()

		got, err := f.GetRecommendation(t.Context(), &tidemarkv1.GetRecommendationRequest{Service: "prod/a"})
		require.NoError(t, err)

		report := got.GetRecommendation().GetScalingReport()
		require.Equal(t, time.Now().UTC(), report.GetReportTime().AsTime())

		report = proto.CloneOf(report)
		report.ReportTime = nil
		require.True(t, proto.Equal(&tidemarkv1.ScalingReport{
			Revision: revision, Outcome: refused, Message: "freeze until Monday", Agent: "kube",
		}, report), report)

		after := f.record("prod/a")
		require.Equal(t, revision, after.Recommendation.GetRevision(), "the value is the same")
		require.Equal(t, before.Published, after.Published, "whoever watches knows it")
		require.Equal(t, before.State, after.State)
		require.Equal(t, map[string]int{"refused outdated=false": 1}, f.observer.count)
	})
}

// A size that was applied is what the service has then; an agent that knows better says so.
func TestAnAppliedReportSaysTheSize(t *testing.T) {
	f := start(t)
	first := f.sized("prod/a", 2000)

	f.report(&tidemarkv1.ReportScalingRequest{Service: "prod/a", Revision: first, Outcome: applied})
	require.EqualValues(t, 2000, f.record("prod/a").Recommendation.GetScalingReport().GetAllocation().GetCpuMillis())

	f.report(&tidemarkv1.ReportScalingRequest{
		Service: "prod/a", Revision: first, Outcome: applied, Allocation: &tidemarkv1.Size{CpuMillis: 1900},
	})
	require.EqualValues(t, 1900, f.record("prod/a").Recommendation.GetScalingReport().GetAllocation().GetCpuMillis())

	second := f.sized("prod/b", 1000)
	f.sized("prod/b", 3000)
	f.report(&tidemarkv1.ReportScalingRequest{Service: "prod/b", Revision: second, Outcome: applied})
	require.Nil(t, f.record("prod/b").Recommendation.GetScalingReport().GetAllocation(),
		"what an outdated revision was is not known any more")
}

func TestAReportOnAnOutdatedRevision(t *testing.T) {
	f := start(t)
	first := f.sized("prod/a", 1000)
	second := f.sized("prod/a", 2000)
	on := func(revision int64) int64 {
		return f.report(&tidemarkv1.ReportScalingRequest{Service: "prod/a", Revision: revision, Outcome: failed, Resend: true})
	}
	kept := func() int64 { return f.record("prod/a").Recommendation.GetScalingReport().GetRevision() }

	require.Equal(t, second, on(first))
	require.Equal(t, first, kept(), "nothing newer was reported yet")
	require.Equal(t, second, f.record("prod/a").Published, "what is outdated is not sent again")
	require.Equal(t, second, on(second))
	require.Equal(t, second, on(first))
	require.Equal(t, second, kept(), "the newer report stands")
	require.Equal(t, map[string]int{"failed outdated=true": 2, "failed outdated=false": 1}, f.observer.count)
}

func TestReportsOnWhatIsNot(t *testing.T) {
	f := start(t)
	revision := f.sized("prod/a", 1000)

	_, err := f.ReportScaling(t.Context(), &tidemarkv1.ReportScalingRequest{Service: "prod/b", Revision: 1, Outcome: applied})
	st := requireStatus(t, err, codes.NotFound, tidemarkv1.ErrorReason_ERROR_REASON_RECOMMENDATION_NOT_FOUND)

	resource, is := st.Details()[1].(*errdetails.ResourceInfo)
	require.True(t, is)
	require.Equal(t, "prod/b", resource.GetResourceName())

	_, err = f.ReportScaling(t.Context(), &tidemarkv1.ReportScalingRequest{
		Service: "prod/a", Revision: revision + 1, Outcome: applied,
	})
	st = requireStatus(t, err, codes.FailedPrecondition, tidemarkv1.ErrorReason_ERROR_REASON_REVISION_UNKNOWN)

	info, is := st.Details()[0].(*errdetails.ErrorInfo)
	require.True(t, is)
	require.Equal(t, map[string]string{"service": "prod/a", "head": "1"}, info.GetMetadata())
	require.Empty(t, f.observer.count)
	require.Nil(t, f.record("prod/a").Recommendation.GetScalingReport())
}

// A report whose answer was lost comes again: that changes nothing, not even the time.
func TestARepeatedReportKeepsItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t)
		revision := f.sized("prod/a", 1000)
		request := &tidemarkv1.ReportScalingRequest{Service: "prod/a", Revision: revision, Outcome: applied}

		f.report(request)

		before := f.record("prod/a")

		<-time.After(time.Minute)
		f.report(request)
		require.Equal(t, before, f.record("prod/a"))

		f.report(&tidemarkv1.ReportScalingRequest{Service: "prod/a", Revision: revision, Outcome: postponed})
		require.Equal(t, postponed, f.record("prod/a").Recommendation.GetScalingReport().GetOutcome())
	})
}

// Only what was not applied is sent again, and only when that is asked for.
func TestAValueIsSentAgainWhenTheReportAsksForIt(t *testing.T) {
	f := start(t)
	revision := f.sized("prod/a", 1000)

	for _, outcome := range []tidemarkv1.ScalingOutcome{applied, postponed, refused, failed} {
		for _, resend := range []bool{false, true} {
			before := f.record("prod/a")
			f.report(&tidemarkv1.ReportScalingRequest{Service: "prod/a", Revision: revision, Outcome: outcome, Resend: resend})

			after := f.record("prod/a")
			require.Equal(t, revision, after.Recommendation.GetRevision())
			require.Equal(t, resend && (outcome == refused || outcome == failed), after.Published > before.Published,
				"%s %t", outcome, resend)
		}
	}
}

// contestedStore is a store in which somebody else writes once before a commit.
type contestedStore struct {
	*store.Memory

	once func()
}

func (s *contestedStore) Commit(ctx context.Context, c store.Commit) (store.Record, error) {
	if once := s.once; once != nil {
		s.once = nil

		once()
	}

	return s.Memory.Commit(ctx, c)
}

// An evaluation that ends while the report is being written down loses nothing, and neither does the report.
func TestAReportDuringAnEvaluation(t *testing.T) {
	f := start(t)
	first := f.sized("prod/a", 1000)
	second := int64(0)
	f.store = &contestedStore{Memory: f.memory, once: func() { second = f.sized("prod/a", 2000) }}

	require.Equal(t, first+1, f.report(&tidemarkv1.ReportScalingRequest{Service: "prod/a", Revision: first, Outcome: refused}))
	require.Equal(t, first+1, second)

	got := f.record("prod/a").Recommendation
	require.EqualValues(t, 2000, got.GetRecommended().GetCpuMillis())
	require.Equal(t, first, got.GetScalingReport().GetRevision())
	require.Equal(t, map[string]int{"refused outdated=true": 1}, f.observer.count)
}
