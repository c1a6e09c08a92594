package tidemark

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

const (
	// maxBatch is how many requests the server takes at once.
	maxBatch = 10_000
	// maxBatchBytes keeps a batch below the 4 MiB that gRPC servers take by default, with room for the framing.
	maxBatchBytes = 3 << 20
)

// Enqueue asks that one service be evaluated soon; it does not wait for the evaluation. A request without an id is given
// one, so that a repetition is not a second wish.
func (c *Client) Enqueue(ctx context.Context, request *tidemarkv1.EnqueueRequest) (*tidemarkv1.EnqueueResponse, error) {
	if request.GetRequestId() == "" {
		request = proto.CloneOf(request)
		request.RequestId = uuid.NewString()
	}

	response, err := c.api.Enqueue(ctx, request)
	if err != nil {
		return nil, fmt.Errorf("enqueue %s: %w", request.GetService(), err)
	}

	return response, nil
}

// BatchEnqueue asks that many services be evaluated, any number of them, and returns one result for each, in the same
// order. The requests travel in batches. When one fails as a whole after others were answered, its requests and the ones
// behind it have that error as their result; an error is returned only when nothing was answered at all.
func (c *Client) BatchEnqueue(
	ctx context.Context, requests []*tidemarkv1.EnqueueRequest,
) ([]*tidemarkv1.EnqueueResult, error) {
	results := make([]*tidemarkv1.EnqueueResult, 0, len(requests))

	for len(requests) > 0 {
		size := batchSize(requests)

		answered, err := c.enqueueBatch(ctx, requests[:size])
		if err != nil {
			if len(results) == 0 {
				return nil, err
			}

			return append(results, failed(err, len(requests))...), nil
		}

		results = append(results, answered...)
		requests = requests[size:]
	}

	return results, nil
}

func (c *Client) enqueueBatch(
	ctx context.Context, requests []*tidemarkv1.EnqueueRequest,
) ([]*tidemarkv1.EnqueueResult, error) {
	response, err := c.api.BatchEnqueue(ctx, &tidemarkv1.BatchEnqueueRequest{Requests: requests})
	if err != nil {
		return nil, fmt.Errorf("enqueue %d services: %w", len(requests), err)
	}

	if got := len(response.GetResults()); got != len(requests) {
		return nil, status.Errorf(codes.Internal, "the server answered %d requests with %d results", len(requests), got)
	}

	return response.GetResults(), nil
}

// batchSize returns how many of the requests the next batch takes, at least one.
func batchSize(requests []*tidemarkv1.EnqueueRequest) int {
	bytes := 0

	for i, request := range requests[:min(len(requests), maxBatch)] {
		bytes += proto.Size(request)
		if bytes > maxBatchBytes && i > 0 {
			return i
		}
	}

	return min(len(requests), maxBatch)
}

// failed returns count results that all say err.
func failed(err error, count int) []*tidemarkv1.EnqueueResult {
	refusal := status.Convert(err).Proto()

	results := make([]*tidemarkv1.EnqueueResult, count)
	for i := range results {
		results[i] = &tidemarkv1.EnqueueResult{Result: &tidemarkv1.EnqueueResult_Error{Error: refusal}}
	}

	return results
}
