package api

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/server/queue"
	"github.com/tidemark-project/tidemark/server/store"
)

// batchFrom is a batch of signals for so many services, from the first one on.
func batchFrom(first, services int) *tidemarkv1.BatchEnqueueRequest {
	batch := batchOf()
	for i := range services {
		batch.Requests = append(batch.Requests, &tidemarkv1.EnqueueRequest{
			Service: fmt.Sprintf("prod/%d", first+i), Trigger: signal,
		})
	}

	return batch
}

// What waits already takes no room: a batch of it and of something new fits into a queue that is nearly full.
func TestABatchNeedsRoomForWhatIsNew(t *testing.T) {
	f := start(t, func(c *queue.Config) { c.MaxItems = 100 })

	for _, batch := range []*tidemarkv1.BatchEnqueueRequest{batchFrom(0, 95), batchFrom(0, 100)} {
		response, err := f.BatchEnqueue(t.Context(), batch)
		require.NoError(t, err)

		for i, result := range response.GetResults() {
			require.Nil(t, result.GetError(), "%d", i)
		}
	}
}

// Those of a batch that are only validated are told the truth, also at the very end of the room.
func TestABatchThatJustFits(t *testing.T) {
	f := start(t, func(c *queue.Config) { c.MaxItems = 10 })
	batch := batchFrom(0, 9)
	batch.Requests[8].ValidateOnly = true
	batch.Requests[8].Trigger = tidemarkv1.Trigger_TRIGGER_PERIODIC

	response, err := f.BatchEnqueue(t.Context(), batch)
	require.NoError(t, err)
	require.Nil(t, response.GetResults()[8].GetError())
}

// slowStore accepts nothing until it has been asked to accept as much as is expected.
type slowStore struct {
	*store.Memory

	expected atomic.Int64
	all      chan struct{}
}

func (s *slowStore) Accept(ctx context.Context, work []store.Work) (int64, error) {
	if s.expected.Add(-int64(len(work))) == 0 {
		close(s.all)
	}

	<-s.all

	return s.Memory.Accept(ctx, work)
}

// Batches that are accepted at the same time do not fill the queue beyond its bound.
func TestRoomIsNotGivenToTwoBatches(t *testing.T) {
	const batches, size, room = 4, 60, 100

	f := start(t, func(c *queue.Config) { c.MaxItems = room })
	slow := &slowStore{Memory: f.memory, all: make(chan struct{})}
	slow.expected.Store(room)
	f.store = slow

	var calling sync.WaitGroup

	refused := make([]int, batches)

	for b := range batches {
		calling.Go(func() {
			response, err := f.BatchEnqueue(t.Context(), batchFrom(b*size, size))
			if err != nil {
				t.Error(err)
			}

			for _, result := range response.GetResults() {
				if st := status.FromProto(result.GetError()); st.Code() == codes.ResourceExhausted {
					refused[b]++
				}
			}
		})
	}

	calling.Wait()
	require.Equal(t, room, f.queue.Depth().Waiting)

	all := 0
	for _, of := range refused {
		all += of
	}

	require.Equal(t, batches*size-room, all)
}

// Who is refused is counted, alone or in a batch; who only asks is not.
func TestRefusalsAreCounted(t *testing.T) {
	f := startOperated(t, func(c *queue.Config) { c.MaxItems = 1 })
	f.enqueue(&tidemarkv1.EnqueueRequest{Service: "prod/a", Trigger: signal})

	_, err := f.Enqueue(t.Context(), &tidemarkv1.EnqueueRequest{Service: "prod/b", Trigger: signal})
	require.Error(t, err)

	_, err = f.Enqueue(t.Context(), &tidemarkv1.EnqueueRequest{Service: "prod/b", Trigger: signal, ValidateOnly: true})
	require.Error(t, err)

	_, err = f.BatchEnqueue(t.Context(), batchFrom(0, 3))
	require.NoError(t, err)

	for _, of := range f.status("").GetTriggers() {
		if of.GetTrigger() == signal {
			require.EqualValues(t, 4, of.GetRefusedTotal())
		}
	}
}
