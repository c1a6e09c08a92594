package tidemark_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"
	"pgregory.net/rapid"

	"github.com/tidemark-project/tidemark/clients/tidemark"
	"github.com/tidemark-project/tidemark/clients/tidemark/tidemarktest"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// reader is a loop over a watch as a user would write it; it checks what the watch promises.
type reader struct {
	held   map[string]*tidemarkv1.Recommendation
	newest map[string]int64 // revisions since the last snapshot began
	stall  atomic.Pointer[chan struct{}]
	broken []string
	done   chan struct{}
}

func startReader(ctx context.Context, client *tidemark.Client, filter *tidemarkv1.RecommendationFilter) *reader {
	r := &reader{
		held:   make(map[string]*tidemarkv1.Recommendation),
		newest: make(map[string]int64),
		done:   make(chan struct{}),
	}

	go func() {
		defer close(r.done)

		for event, err := range client.Watch(ctx, tidemark.WatchOptions{Filter: filter}) {
			if stall := r.stall.Load(); stall != nil {
				<-*stall
			}

			r.take(event, err)
		}
	}()

	return r
}

func (r *reader) take(event tidemark.Event, err error) {
	switch {
	case errors.Is(err, context.Canceled):
	case err != nil:
		r.broken = append(r.broken, err.Error())
	case event.Kind == tidemark.SnapshotStarted:
		clear(r.newest)
	case event.Kind == tidemark.Changed:
		r.advance(event.Recommendation.GetService(), event.Recommendation.GetRevision())
		r.held[event.Recommendation.GetService()] = event.Recommendation
	case event.Kind == tidemark.Renewed:
		held := r.held[event.Recommendation.GetService()]
		if held.GetRevision() != event.Recommendation.GetRevision() {
			r.broken = append(r.broken, fmt.Sprintf("renewal of %v, and %v is held", event.Recommendation, held))
		}

		r.held[event.Recommendation.GetService()] = event.Recommendation
	case event.Kind == tidemark.Removed:
		r.advance(event.Removed.GetService(), event.Removed.GetRevision())
		delete(r.held, event.Removed.GetService())
	}
}

func (r *reader) advance(service string, revision int64) {
	if revision < r.newest[service] {
		r.broken = append(r.broken, fmt.Sprintf("%s went from revision %d to %d", service, r.newest[service], revision))
	}

	r.newest[service] = revision
}

// TestWatchEndsAtTheFinalState lets a server write, forget, restart, age and break its streams at random, and the loop
// stall: the watch ends with what the server has of that which it asks for, which is what a list shows.
func TestWatchEndsAtTheFinalState(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		rapid.Check(struct{ *testing.T }{t}, func(t *rapid.T) { // hides T.Deadline, which a bubble forbids
			server := tidemarktest.New()
			defer server.Close()

			client := server.Dial()
			defer func() { require.NoError(t, client.Close()) }()

			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()

			which := rapid.IntRange(0, len(modelFilters)-1).Draw(t, "filter")
			filter := modelFilters[which].filter
			r := startReader(ctx, client, filter)
			service := rapid.SampledFrom([]string{"a/v", "a/w", "b/x", "b/y", "b/z"})
			pause := rapid.SampledFrom([]time.Duration{0, time.Millisecond, time.Second, 15 * time.Second, 45 * time.Second})

			t.Repeat(map[string]func(*rapid.T){
				"put": func(t *rapid.T) {
					server.Put(drawRecommendation(t, service.Draw(t, "service")))
				},
				"renew": func(t *rapid.T) {
					if all := server.Recommendations(); len(all) > 0 {
						again := proto.CloneOf(rapid.SampledFrom(all).Draw(t, "again"))
						again.EvaluateTime = timestamppb.Now()
						server.Renew(again)
					}
				},
				"remove":     func(t *rapid.T) { server.Remove(service.Draw(t, "service")) },
				"disconnect": func(*rapid.T) { server.Disconnect() },
				"age":        func(*rapid.T) { server.Age() },
				"forget":     func(*rapid.T) { server.ForgetHistory() },
				"restart":    func(*rapid.T) { server.LoseState() },
				"break": func(t *rapid.T) {
					var left atomic.Int64

					left.Store(rapid.Int64Range(0, 4).Draw(t, "after"))
					server.BeforeSend(func(*tidemarkv1.WatchRecommendationsResponse) error {
						if left.Add(-1) == -1 {
							return status.Error(codes.Unavailable, "cut")
						}

						return nil
					})
				},
				"stall": func(t *rapid.T) {
					stall := make(chan struct{})
					r.stall.Store(&stall)
					server.Put(drawRecommendation(t, service.Draw(t, "service")))
					<-time.After(pause.Draw(t, "pause"))
					r.stall.Store(nil)
					close(stall)
				},
				"wait": func(t *rapid.T) { <-time.After(pause.Draw(t, "pause")) },
			})

			server.BeforeSend(nil)
			<-time.After(time.Minute)
			cancel()
			<-r.done

			r.check(t, selected(which, server.Recommendations()))

			var listed []*tidemarkv1.Recommendation

			for got, err := range client.List(context.Background(), &tidemarkv1.ListRecommendationsRequest{
				Filter: filter, PageSize: 2,
			}) {
				require.NoError(t, err)

				listed = append(listed, got)
			}

			r.check(t, listed)
		})
	})
}

// check compares what is held.
func (r *reader) check(t require.TestingT, wanted []*tidemarkv1.Recommendation) {
	require.Empty(t, r.broken)
	require.Len(t, r.held, len(wanted))

	for _, want := range wanted {
		require.Equal(t, want.GetRevision(), r.held[want.GetService()].GetRevision())
		require.Equal(t, want.GetEvaluateTime().AsTime(), r.held[want.GetService()].GetEvaluateTime().AsTime())
		require.Equal(t, want.GetRecommended().GetCpuMillis(), r.held[want.GetService()].GetRecommended().GetCpuMillis())
	}
}
