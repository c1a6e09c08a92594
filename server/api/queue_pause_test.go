package api

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/timestamppb"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

const (
	accepting  = tidemarkv1.PauseScope_PAUSE_SCOPE_ACCEPTING
	evaluating = tidemarkv1.PauseScope_PAUSE_SCOPE_EVALUATING
)

func (o *operated) pause(scope tidemarkv1.PauseScope, end *timestamppb.Timestamp) *tidemarkv1.Pause {
	o.Helper()

	response, err := o.operators.PauseQueue(o.Context(), &tidemarkv1.PauseQueueRequest{
		Scope: scope, Author: "ana", Reason: "ClickHouse upgrade", ExpireTime: end,
	})
	require.NoError(o, err)

	return response.GetPause()
}

func (o *operated) resume(scope tidemarkv1.PauseScope) *tidemarkv1.Pause {
	o.Helper()

	response, err := o.operators.ResumeQueue(o.Context(), &tidemarkv1.ResumeQueueRequest{Scope: scope, Author: "ben"})
	require.NoError(o, err)

	return response.GetPause()
}

func TestPauseAndResume(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := startOperated(t)
		require.Nil(t, o.resume(accepting), "there was none")

		end := timestamppb.New(time.Now().Add(time.Hour))
		want := &tidemarkv1.Pause{
			Scope: accepting, Author: "ana", Reason: "ClickHouse upgrade", PauseTime: timestamppb.Now(), ExpireTime: end,
		}
		requireEqualMessages(t, want, o.pause(accepting, end))
		require.Nil(t, o.resume(evaluating), "of the other scope there is none")

		endless := o.pause(evaluating, nil)
		require.Nil(t, endless.GetExpireTime())

		shown := o.status("").GetPauses()
		require.Len(t, shown, 2)
		requireEqualMessages(t, want, shown[0])
		requireEqualMessages(t, endless, shown[1])

		requireEqualMessages(t, want, o.resume(accepting))
		require.Len(t, o.status("").GetPauses(), 1)

		<-time.After(2 * time.Hour)
		requireEqualMessages(t, endless, o.resume(evaluating))
		require.Empty(t, o.status("").GetPauses())
	})
}

// While nothing is accepted every wish is refused, alone and in a batch, with who, why and when.
func TestAPauseOfAcceptingRefuses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := startOperated(t)
		o.pause(accepting, timestamppb.New(time.Now().Add(10*time.Second)))

		check := func(st *status.Status) {
			checkStatus(t, st, codes.Unavailable, tidemarkv1.ErrorReason_ERROR_REASON_QUEUE_PAUSED)
			require.Contains(t, st.Message(), "by ana: ClickHouse upgrade")

			retry, is := st.Details()[1].(*errdetails.RetryInfo)
			require.True(t, is)
			require.Equal(t, 10*time.Second, retry.GetRetryDelay().AsDuration())
		}

		for _, dry := range []bool{false, true} {
			_, err := o.Enqueue(t.Context(), &tidemarkv1.EnqueueRequest{Service: "prod/a", ValidateOnly: dry})
			check(requireStatus(t, err, codes.Unavailable, tidemarkv1.ErrorReason_ERROR_REASON_QUEUE_PAUSED))
		}

		batch, err := o.BatchEnqueue(t.Context(), batchOf(
			&tidemarkv1.EnqueueRequest{Service: "prod/a"}, &tidemarkv1.EnqueueRequest{Service: "prod/b", Trigger: signal},
		))
		require.NoError(t, err)
		require.Len(t, batch.GetResults(), 2)

		for _, result := range batch.GetResults() {
			check(status.FromProto(result.GetError()))
		}

		require.Empty(t, o.work())
		require.Zero(t, o.queue.Depth())

		<-time.After(10 * time.Second)
		o.enqueue(&tidemarkv1.EnqueueRequest{Service: "prod/a"})
	})
}

func TestAPauseMustEndInTheFuture(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := startOperated(t)

		for name, end := range map[string]*timestamppb.Timestamp{
			"past":            timestamppb.New(time.Now().Add(-time.Second)),
			"now":             timestamppb.Now(),
			"1970":            {},
			"no time at all":  {Seconds: 1 << 62},
			"beyond clocks":   timestamppb.New(time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)),
			"wrong fractions": {Seconds: time.Now().Unix() + 60, Nanos: -1},
		} {
			_, err := o.operators.PauseQueue(t.Context(), &tidemarkv1.PauseQueueRequest{
				Scope: evaluating, Author: "ana", Reason: "upgrade", ExpireTime: end,
			})
			require.Error(t, err, name)

			st := requireStatus(t, err, codes.InvalidArgument, tidemarkv1.ErrorReason_ERROR_REASON_INVALID_ARGUMENT)
			bad, is := st.Details()[1].(*errdetails.BadRequest)
			require.True(t, is)
			require.Equal(t, "expire_time", bad.GetFieldViolations()[0].GetField())
		}

		require.Empty(t, o.status("").GetPauses())
		o.pause(evaluating, timestamppb.New(lastPauseEnd.Add(-time.Second)))
		require.Len(t, o.status("").GetPauses(), 1)
	})
}
