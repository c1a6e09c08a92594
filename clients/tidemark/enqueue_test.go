package tidemark_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

func TestEnqueueNamesTheRequest(t *testing.T) {
	t.Parallel()

	server, client := connected(t)
	request := &tidemarkv1.EnqueueRequest{Service: "a/x", Detail: "by hand"}

	response, err := client.Enqueue(t.Context(), request)
	require.NoError(t, err)
	require.Equal(t, tidemarkv1.EnqueueOutcome_ENQUEUE_OUTCOME_QUEUED, response.GetOutcome())
	require.Empty(t, request.GetRequestId(), "the caller's request is left alone")

	enqueued := server.Enqueued()
	require.Len(t, enqueued, 1)
	require.Equal(t, "by hand", enqueued[0].GetDetail())
	require.NoError(t, uuid.Validate(enqueued[0].GetRequestId()))

	id := uuid.NewString()
	_, err = client.Enqueue(t.Context(), &tidemarkv1.EnqueueRequest{Service: "a/x", RequestId: id})
	require.NoError(t, err)
	require.Equal(t, id, server.Enqueued()[1].GetRequestId())
}

func TestBatchEnqueueSplitsWhatIsTooMuch(t *testing.T) {
	t.Parallel()

	for name, c := range map[string]struct {
		detail string
		count  int
		calls  int
	}{
		"nothing":        {count: 0, calls: 0},
		"one batch":      {count: 10_000, calls: 1},
		"too many":       {count: 20_001, calls: 3},
		"too many bytes": {count: 10_000, calls: 2, detail: strings.Repeat("x", 500)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			server, client := connected(t)
			calls := 0

			server.FailWith(func(string) error {
				calls++

				return nil
			})

			results, err := client.BatchEnqueue(t.Context(), numbered(c.count, c.detail))
			require.NoError(t, err)
			require.Len(t, results, c.count)
			require.Equal(t, c.calls, calls)

			for i, result := range results {
				require.Equal(t, "a/"+strconv.Itoa(i), result.GetResponse().GetService())
			}
		})
	}
}

func TestBatchEnqueueSaysWhichBatchesFailed(t *testing.T) {
	t.Parallel()

	server, client := connected(t)
	calls := 0

	server.FailWith(func(string) error {
		if calls++; calls == 2 {
			return status.Error(codes.Unavailable, "down")
		}

		return nil
	})

	results, err := client.BatchEnqueue(t.Context(), numbered(30_000, ""))
	require.NoError(t, err)
	require.Len(t, results, 30_000)
	require.Equal(t, 2, calls, "what is behind a failed batch is not tried")
	require.Nil(t, results[9_999].GetError())
	require.EqualValues(t, codes.Unavailable, results[10_000].GetError().GetCode())
	require.EqualValues(t, codes.Unavailable, results[29_999].GetError().GetCode())
	require.Len(t, server.Enqueued(), 10_000)
}

func numbered(count int, detail string) []*tidemarkv1.EnqueueRequest {
	requests := make([]*tidemarkv1.EnqueueRequest, count)
	for i := range requests {
		requests[i] = &tidemarkv1.EnqueueRequest{Service: "a/" + strconv.Itoa(i), Detail: detail}
	}

	return requests
}
