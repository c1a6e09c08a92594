package agent

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/tidemark-project/tidemark/clients/tidemark"
	"github.com/tidemark-project/tidemark/clients/tidemark/tidemarktest"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// recorder is an actuator that notes what it is given, and does what a test says.
type recorder struct {
	mu    sync.Mutex
	calls []string // "service cores"
	busy  map[string]int
	broke []string
	apply func(ctx context.Context, r *tidemarkv1.Recommendation) error
}

func (r *recorder) Apply(ctx context.Context, recommendation *tidemarkv1.Recommendation) error {
	service := recommendation.GetService()

	r.mu.Lock()
	r.calls = append(r.calls, fmt.Sprintf("%s %d", service, recommendation.GetRecommended().GetCpuMillis()/1000))

	if r.busy == nil {
		r.busy = make(map[string]int)
	}

	if r.busy[service]++; r.busy[service] > 1 {
		r.broke = append(r.broke, "two under way for "+service)
	}

	apply := r.apply
	r.mu.Unlock()

	defer func() {
		r.mu.Lock()
		defer r.mu.Unlock()

		r.busy[service]--
	}()

	if apply == nil {
		return nil
	}

	return apply(ctx, recommendation)
}

// taken waits until nothing moves and returns what was applied since the last call, in order of service.
func (r *recorder) taken() []string {
	synctest.Wait()

	r.mu.Lock()
	defer r.mu.Unlock()

	calls := r.calls
	r.calls = nil

	slices.Sort(calls)

	return calls
}

func (r *recorder) does(apply func(ctx context.Context, r *tidemarkv1.Recommendation) error) {
	r.mu.Lock()
	defer r.mu.Unlock()

	r.apply = apply
}

// connected returns a server and a client of it, which end with the test, or with its bubble.
func connected(t *testing.T) (*tidemarktest.Server, *tidemark.Client) {
	t.Helper()

	server := tidemarktest.New()
	t.Cleanup(server.Close)

	client := server.Dial()
	t.Cleanup(func() { require.NoError(t, client.Close()) })

	return server, client
}

// acting runs an agent until the bubble ends.
func acting(t *testing.T, client *tidemark.Client, config Config) *recorder {
	t.Helper()

	r := &recorder{}
	ctx, cancel := context.WithCancel(t.Context())
	config.Watcher, config.Actuator = client, r
	done := make(chan error, 1)

	go func() { done <- New(config, slog.New(slog.DiscardHandler)).Run(ctx) }()

	t.Cleanup(func() {
		cancel()
		require.ErrorIs(t, <-done, context.Canceled)
		require.Empty(t, r.broke)
	})
	synctest.Wait()

	return r
}

func TestTheAgentActsOnChanges(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server, client := connected(t)
		server.Put(advice("a/x", 1, 2))

		r := acting(t, client, Config{})
		require.Empty(t, r.taken())

		server.Put(advice("a/x", 1, 3))
		server.Put(advice("a/y", 1, 2))
		require.Equal(t, []string{"a/x 3", "a/y 2"}, r.taken())

		server.Put(advice("a/x", 3, 3))
		require.Empty(t, r.taken(), "it was done")

		server.Put(advice("a/x", 1, 3))
		require.Equal(t, []string{"a/x 3"}, r.taken(), "it was undone")

		server.Resend("a/x")
		require.Equal(t, []string{"a/x 3"}, r.taken(), "somebody asked for it again")
	})
}

func TestTheAgentStartsWithWhatIsOutstanding(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server, client := connected(t)
		server.Put(advice("a/x", 1, 2))
		server.Put(advice("a/y", 2, 2))

		r := acting(t, client, Config{Snapshot: SnapshotOutstanding})
		require.Equal(t, []string{"a/x 2"}, r.taken())
	})
}

func TestTheAgentLeavesAloneWhatIsOnlyObserved(t *testing.T) {
	t.Parallel()

	for want, config := range map[string]Config{
		"[a/up 2]":              {Snapshot: SnapshotAll},
		"[a/observed 2 a/up 2]": {Snapshot: SnapshotAll, ObserveOnly: true},
	} {
		synctest.Test(t, func(t *testing.T) {
			server, client := connected(t)
			server.Put(moded(tidemarkv1.Mode_MODE_OBSERVE_ONLY, advice("a/observed", 1, 2)))
			server.Put(moded(tidemarkv1.Mode_MODE_OFF, advice("a/off", 1, 2)))
			server.Put(moded(tidemarkv1.Mode_MODE_UNSPECIFIED, advice("a/unsaid", 1, 2)))
			server.Put(moded(tidemarkv1.Mode_MODE_UP_ONLY, advice("a/up", 1, 2)))

			require.Equal(t, want, fmt.Sprint(acting(t, client, config).taken()))
		})
	}
}

func TestTheAgentDoesNotActOnExpiredData(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server, client := connected(t)
		r := acting(t, client, Config{})

		stale, fresh := advice("a/x", 1, 2), advice("a/y", 1, 2)
		stale.ExpireTime = timestamppb.New(time.Now())
		fresh.ExpireTime = timestamppb.New(time.Now().Add(time.Minute))

		r.does(func(context.Context, *tidemarkv1.Recommendation) error { return errors.New("down") })
		server.Put(stale)
		server.Put(fresh)
		require.Equal(t, []string{"a/y 2"}, r.taken())

		// While it is tried again, it expires.
		<-time.After(2 * time.Minute)
		require.NotEmpty(t, r.taken())
		<-time.After(10 * time.Minute)
		require.Empty(t, r.taken())
	})
}

func TestTheNewestValueWinsWhileOneIsUnderWay(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server, client := connected(t)
		r := acting(t, client, Config{})

		finish := make(chan struct{})
		r.does(func(_ context.Context, recommendation *tidemarkv1.Recommendation) error {
			if recommendation.GetService() == "a/x" {
				<-finish
			}

			return nil
		})

		for to := int64(2); to < 6; to++ {
			server.Put(advice("a/x", 1, to))
			synctest.Wait()
		}

		server.Put(advice("a/y", 1, 2))
		require.Equal(t, []string{"a/x 2", "a/y 2"}, r.taken())

		close(finish)
		require.Equal(t, []string{"a/x 5"}, r.taken())
	})
}

func TestTheNewestValueWinsWhileOneIsTriedAgain(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server, client := connected(t)
		r := acting(t, client, Config{})

		r.does(func(context.Context, *tidemarkv1.Recommendation) error {
			return RetryAfter(errors.New("busy"), 30*time.Second)
		})
		server.Put(advice("a/x", 1, 2))
		require.Equal(t, []string{"a/x 2"}, r.taken())

		server.Put(advice("a/x", 1, 3))
		<-time.After(29 * time.Second)
		require.Empty(t, r.taken(), "the wait is kept to")

		r.does(nil)
		<-time.After(2 * time.Second)
		require.Equal(t, []string{"a/x 3"}, r.taken())

		<-time.After(time.Hour)
		require.Empty(t, r.taken())
	})
}

func TestAWaitIsKeptToWhateverComesMeanwhile(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server, client := connected(t)
		r := acting(t, client, Config{})

		r.does(func(context.Context, *tidemarkv1.Recommendation) error {
			return RetryAfter(errors.New("busy"), 30*time.Second)
		})
		server.Put(advice("a/x", 1, 2))
		require.Equal(t, []string{"a/x 2"}, r.taken())

		// Taken back, and given again.
		server.Put(moded(tidemarkv1.Mode_MODE_OBSERVE_ONLY, advice("a/x", 1, 2)))
		server.Put(advice("a/x", 1, 2))
		<-time.After(29 * time.Second)
		require.Empty(t, r.taken())
		<-time.After(2 * time.Second)
		require.Equal(t, []string{"a/x 2"}, r.taken())
	})
}

func TestAFailedActionIsRepeatedLessAndLess(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server, client := connected(t)
		r := acting(t, client, Config{})

		var times []time.Time

		r.does(func(context.Context, *tidemarkv1.Recommendation) error {
			times = append(times, time.Now())

			return errors.New("down")
		})
		server.Put(advice("a/x", 1, 2))
		<-time.After(time.Hour)
		synctest.Wait()

		require.Less(t, len(times), 130)
		require.Greater(t, len(times), 40)

		for i := range times[1:] {
			require.GreaterOrEqual(t, times[i+1].Sub(times[i]), 500*time.Millisecond)
			require.LessOrEqual(t, times[i+1].Sub(times[i]), 90*time.Second)
		}
	})
}

func TestWhatFailsForGoodIsNotRepeated(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server, client := connected(t)
		r := acting(t, client, Config{})

		r.does(func(context.Context, *tidemarkv1.Recommendation) error { return Permanent(errors.New("no")) })
		server.Put(advice("a/x", 1, 2))
		<-time.After(time.Hour)
		require.Equal(t, []string{"a/x 2"}, r.taken())

		server.Put(advice("a/x", 1, 3))
		require.Equal(t, []string{"a/x 3"}, r.taken(), "a new value is another matter")
	})
}

func TestNothingIsDoneForAServiceThatIsGone(t *testing.T) {
	t.Parallel()

	for name, end := range map[string]func(*tidemarktest.Server){
		"removed": func(server *tidemarktest.Server) { server.Remove("a/x") },
		"observed": func(server *tidemarktest.Server) {
			server.Put(moded(tidemarkv1.Mode_MODE_OBSERVE_ONLY, advice("a/x", 1, 3)))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				server, client := connected(t)
				r := acting(t, client, Config{})

				// Once while it waits to be tried again, once while it is under way.
				r.does(func(context.Context, *tidemarkv1.Recommendation) error { return errors.New("down") })
				server.Put(advice("a/x", 1, 2))
				require.Equal(t, []string{"a/x 2"}, r.taken())
				end(server)
				<-time.After(time.Hour)
				require.Empty(t, r.taken())

				finish := make(chan struct{})
				r.does(func(context.Context, *tidemarkv1.Recommendation) error {
					<-finish

					return errors.New("down")
				})
				server.Put(advice("a/x", 1, 4))
				require.Equal(t, []string{"a/x 4"}, r.taken())
				end(server)
				synctest.Wait()
				close(finish)
				<-time.After(time.Hour)
				require.Empty(t, r.taken())
			})
		})
	}
}

func TestASlowActuatorDoesNotSlowTheWatch(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server, client := connected(t)
		r := acting(t, client, Config{Workers: 2})

		r.does(func(ctx context.Context, _ *tidemarkv1.Recommendation) error {
			<-ctx.Done()

			return ctx.Err()
		})

		for i := range 1000 {
			server.Put(advice(fmt.Sprintf("a/%d", i%10), 1, int64(i+2)))
		}

		require.Len(t, r.taken(), 2)
		<-time.After(10 * time.Minute)
		require.Equal(t, 1, server.Watchers(), "the stream is read all the time")
	})
}

func TestTheAgentSurvivesTheServer(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server, client := connected(t)
		server.Put(advice("a/x", 1, 2))
		server.Put(advice("a/y", 1, 2))

		r := acting(t, client, Config{})
		server.LoseState()
		server.Put(advice("a/x", 1, 2))
		server.Put(advice("a/z", 1, 2))
		<-time.After(time.Minute)

		// a/x is as it was, a/y is gone, a/z is new.
		require.Equal(t, []string{"a/z 2"}, r.taken())
	})
}

func TestAHopelessWatchEndsTheAgent(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server, client := connected(t)
		server.FailWith(func(string) error { return status.Error(codes.PermissionDenied, "no") })

		agent := New(Config{Watcher: client, Actuator: &recorder{}}, slog.New(slog.DiscardHandler))
		require.Equal(t, codes.PermissionDenied, status.Code(agent.Run(t.Context())))
	})
}
