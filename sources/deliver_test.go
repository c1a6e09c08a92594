package sources_test

import (
	"bytes"
	"context"
	"log/slog"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"
	"pgregory.net/rapid"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/sources"
)

// sink is a server that counts what it accepts.
type sink struct {
	accepted map[string]int
	whole    func() error               // whether a call fails as a whole; nil for never
	each     func(service string) error // whether a request is refused; nil for never
	calls    []int                      // sizes of the batches
	times    []time.Time
}

func (s *sink) BatchEnqueue(
	_ context.Context, requests []*tidemarkv1.EnqueueRequest,
) ([]*tidemarkv1.EnqueueResult, error) {
	s.calls = append(s.calls, len(requests))
	s.times = append(s.times, time.Now())

	if s.accepted == nil {
		s.accepted = make(map[string]int)
	}

	if s.whole != nil {
		if err := s.whole(); err != nil {
			return nil, err
		}
	}

	results := make([]*tidemarkv1.EnqueueResult, len(requests))

	for i, request := range requests {
		if s.each != nil {
			if err := s.each(request.GetService()); err != nil {
				results[i] = &tidemarkv1.EnqueueResult{
					Result: &tidemarkv1.EnqueueResult_Error{Error: status.Convert(err).Proto()},
				}

				continue
			}
		}

		s.accepted[request.GetService()]++
		results[i] = &tidemarkv1.EnqueueResult{
			Result: &tidemarkv1.EnqueueResult_Response{Response: &tidemarkv1.EnqueueResponse{}},
		}
	}

	return results, nil
}

// delivering runs Deliver in fake time and returns its error and the messages it logged.
func delivering(t *testing.T, s *sink, requests []*tidemarkv1.EnqueueRequest) (messages []string, err error) {
	t.Helper()

	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer

		logger := slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{
			ReplaceAttr: func(_ []string, attr slog.Attr) slog.Attr {
				if attr.Key == slog.TimeKey || attr.Key == "after" {
					return slog.Attr{}
				}

				return attr
			},
		}))

		err = sources.Deliver(t.Context(), logger, s, requests)
		messages = strings.Split(strings.TrimSuffix(log.String(), "\n"), "\n")
	})

	return messages, err
}

func requests(count int) []*tidemarkv1.EnqueueRequest {
	all := make([]*tidemarkv1.EnqueueRequest, count)
	for i := range all {
		all[i] = &tidemarkv1.EnqueueRequest{Service: "a/" + strconv.Itoa(i)}
	}

	return all
}

func TestDeliverSendsInBatches(t *testing.T) {
	t.Parallel()

	s := &sink{}
	messages, err := delivering(t, s, requests(25_000))
	require.NoError(t, err)
	require.Equal(t, []int{10_000, 10_000, 5_000}, s.calls)
	require.Len(t, s.accepted, 25_000)
	require.Equal(t, []string{""}, messages)
}

func TestDeliverOfNothing(t *testing.T) {
	t.Parallel()

	s := &sink{}
	_, err := delivering(t, s, nil)
	require.NoError(t, err)
	require.Empty(t, s.calls)
}

func TestDeliverWaitsForTheServer(t *testing.T) {
	t.Parallel()

	left := 20
	s := &sink{whole: func() error {
		if left--; left >= 0 {
			return status.Error(codes.Unavailable, "down")
		}

		return nil
	}}

	messages, err := delivering(t, s, requests(3))
	require.NoError(t, err)
	require.Len(t, s.accepted, 3)
	require.Equal(t, []string{
		`level=WARN msg="server unavailable, holding requests" holding=3 error="rpc error: code = Unavailable desc = down"`,
		`level=INFO msg="server is back"`,
	}, messages)

	for i := range s.times[1:] {
		require.LessOrEqual(t, s.times[i+1].Sub(s.times[i]), 7500*time.Millisecond)
		require.GreaterOrEqual(t, s.times[i+1].Sub(s.times[i]), 50*time.Millisecond)
	}
}

func TestDeliverSendsAgainOnlyWhatWasNotAccepted(t *testing.T) {
	t.Parallel()

	full := true
	s := &sink{}
	s.each = func(service string) error {
		if service != "a/1" || !full {
			return nil
		}

		full = false

		refusal, err := status.New(codes.ResourceExhausted, "full").WithDetails(
			&errdetails.RetryInfo{RetryDelay: durationpb.New(20 * time.Second)})
		require.NoError(t, err)

		return refusal.Err()
	}

	_, err := delivering(t, s, requests(3))
	require.NoError(t, err)
	require.Equal(t, []int{3, 1}, s.calls)
	require.Equal(t, map[string]int{"a/0": 1, "a/1": 1, "a/2": 1}, s.accepted)
	require.GreaterOrEqual(t, s.times[1].Sub(s.times[0]), 20*time.Second)
}

func TestDeliverIsQuickAgainOnceSomethingIsTaken(t *testing.T) {
	t.Parallel()

	s := &sink{}
	s.whole = func() error {
		if len(s.calls) <= 10 {
			return status.Error(codes.Unavailable, "down")
		}

		return nil
	}
	s.each = func(service string) error {
		if service == "a/1" && len(s.calls) == 11 {
			return status.Error(codes.ResourceExhausted, "full")
		}

		return nil
	}

	_, err := delivering(t, s, requests(2))
	require.NoError(t, err)
	require.Len(t, s.times, 12)
	require.Greater(t, s.times[10].Sub(s.times[9]), 2*time.Second)
	require.Less(t, s.times[11].Sub(s.times[10]), 200*time.Millisecond)
}

func TestDeliverDropsWhatIsRefusedForGood(t *testing.T) {
	t.Parallel()

	s := &sink{each: func(service string) error {
		if service == "a/1" || service == "a/2" {
			return status.Error(codes.InvalidArgument, "no such form")
		}

		return nil
	}}

	messages, err := delivering(t, s, requests(4))
	require.NoError(t, err)
	require.Equal(t, map[string]int{"a/0": 1, "a/3": 1}, s.accepted)
	require.Equal(t, []string{`level=ERROR msg="server refused requests, dropping them" dropped=2 first_service=a/1 ` +
		`error="rpc error: code = InvalidArgument desc = no such form"`}, messages)
}

func TestDeliverDropsABatchThatIsWrongAsAWhole(t *testing.T) {
	t.Parallel()

	s := &sink{}
	s.whole = func() error {
		if len(s.calls) == 1 {
			return status.Error(codes.InvalidArgument, "no")
		}

		return nil
	}

	_, err := delivering(t, s, requests(10_001))
	require.NoError(t, err)
	require.Equal(t, map[string]int{"a/10000": 1}, s.accepted)
}

func TestDeliverGivesUpOnARequestThatTheServerFailsOn(t *testing.T) {
	t.Parallel()

	s := &sink{each: func(service string) error {
		if service == "a/0" {
			return status.Error(codes.Internal, "panic")
		}

		return nil
	}}

	_, err := delivering(t, s, requests(2))
	require.NoError(t, err)
	require.Equal(t, []int{2, 1, 1, 1, 1}, s.calls)
	require.Equal(t, map[string]int{"a/1": 1}, s.accepted)
}

func TestDeliverEndsWhenTheServerTakesNothingFromIt(t *testing.T) {
	t.Parallel()

	for _, code := range []codes.Code{codes.PermissionDenied, codes.Unauthenticated, codes.Unimplemented} {
		s := &sink{whole: func() error { return status.Error(code, "no") }}
		_, err := delivering(t, s, requests(2))
		require.Equal(t, code, status.Code(err))
		require.Len(t, s.calls, 1)
	}
}

func TestDeliverEndsWithItsContext(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()

		s := &sink{whole: func() error { return status.Error(codes.Unavailable, "down") }}
		err := sources.Deliver(ctx, slog.New(slog.DiscardHandler), s, requests(2))
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Greater(t, len(s.calls), 400)
	})
}

// TestDeliverLosesNothing lets the server fail at random: every request is accepted exactly once or refused for good.
// TestDeliverOfAllAtTheEnd ends the context in the very call that takes the rest: what was handed over counts as such.
func TestDeliverOfAllAtTheEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := &sink{whole: func() error {
		cancel()

		return nil
	}}

	require.NoError(t, sources.Deliver(ctx, slog.New(slog.DiscardHandler), s, []*tidemarkv1.EnqueueRequest{{Service: "a/b"}}))
	require.Len(t, s.accepted, 1)
}

func TestDeliverLosesNothing(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		rapid.Check(struct{ *testing.T }{t}, func(t *rapid.T) { // hides T.Deadline, which a bubble forbids
			passing := rapid.SampledFrom([]codes.Code{
				codes.Unavailable, codes.ResourceExhausted, codes.DeadlineExceeded, codes.Aborted,
			})
			trouble := rapid.IntRange(0, 30).Draw(t, "troubles")
			refused := make(map[string]int)

			troubled := func() error {
				if trouble > 0 && rapid.Bool().Draw(t, "trouble") {
					trouble--

					return status.Error(passing.Draw(t, "code"), "later")
				}

				return nil
			}
			s := &sink{whole: troubled, each: func(service string) error {
				if rapid.IntRange(0, 9).Draw(t, "refused") == 0 {
					refused[service]++

					return status.Error(codes.InvalidArgument, "never")
				}

				return troubled()
			}}

			all := requests(rapid.IntRange(0, 20).Draw(t, "requests"))
			require.NoError(t, sources.Deliver(t.Context(), slog.New(slog.DiscardHandler), s, all))

			for _, request := range all {
				require.Equal(t, 1, s.accepted[request.GetService()]+refused[request.GetService()])
			}
		})
	})
}
