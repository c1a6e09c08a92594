package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/types/known/timestamppb"
	"pgregory.net/rapid"

	"github.com/tidemark-project/tidemark/clients/tidemark"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/server/store"
)

// modelExpiry is how long values hold in the model; pauses are around the times after which something happens: half of
// this, a heartbeat, silence, and the time after which a stream that is not read is ended.
const modelExpiry = time.Minute

var modelPauses = rapid.SampledFrom([]time.Duration{
	0, time.Second, 9 * time.Second, 20 * time.Second, 35 * time.Second, 50 * time.Second,
})

// follower is a loop over a watch as a user would write it; it checks what the watch promises.
type follower struct {
	options tidemark.WatchOptions
	held    map[string]*tidemarkv1.Recommendation
	newest  map[string]int64 // revisions since the last snapshot began
	broken  []string

	stall     atomic.Pointer[chan struct{}]
	snapshots atomic.Int64
	expired   atomic.Int64
	renewed   atomic.Int64
	done      chan struct{}
}

func startFollower(ctx context.Context, client *tidemark.Client, options tidemark.WatchOptions) *follower {
	f := &follower{
		options: options,
		held:    make(map[string]*tidemarkv1.Recommendation),
		newest:  make(map[string]int64),
		done:    make(chan struct{}),
	}

	go func() {
		defer close(f.done)

		for event, err := range client.Watch(ctx, options) {
			if stall := f.stall.Load(); stall != nil {
				<-*stall
			}

			f.take(event, err)
		}
	}()

	return f
}

func (f *follower) take(event tidemark.Event, err error) {
	switch service := event.Recommendation.GetService(); {
	case err != nil:
		f.checkf(errors.Is(err, context.Canceled), "the watch ended: %v", err)
	case event.Kind == tidemark.SnapshotStarted:
		clear(f.newest)
		f.snapshots.Add(1)

		if event.Expired {
			f.expired.Add(1)
		}
	case event.Kind == tidemark.Changed:
		f.advance(service, event.Recommendation.GetRevision())
		f.held[service] = event.Recommendation
	case event.Kind == tidemark.Renewed:
		held := f.held[service]
		f.checkf(held.GetRevision() == event.Recommendation.GetRevision(), "%s: renewal of %d, and %d is held",
			service, event.Recommendation.GetRevision(), held.GetRevision())
		f.renewed.Add(1)
		f.held[service] = event.Recommendation
	case event.Kind == tidemark.Removed:
		f.advance(event.Removed.GetService(), event.Removed.GetRevision())
		delete(f.held, event.Removed.GetService())
	}
}

func (f *follower) advance(service string, revision int64) {
	f.checkf(revision >= f.newest[service], "%s went from revision %d to %d", service, f.newest[service], revision)
	f.newest[service] = revision
}

func (f *follower) checkf(fine bool, format string, args ...any) {
	if !fine {
		f.broken = append(f.broken, fmt.Sprintf(format, args...))
	}
}

// matches compares what is held with what the store has. A copy may expire earlier than the original, by less than half of
// its time, and thus not be missed by whoever looks at it until it does.
func (f *follower) matches(t require.TestingT, records []store.Record) {
	require.Empty(t, f.broken)

	want := make(map[string]*tidemarkv1.Recommendation)

	for _, record := range records {
		r := record.Recommendation
		if modes := f.options.Filter.GetModes(); len(modes) == 0 || modes[0] == r.GetMode() {
			want[r.GetService()] = r
		}
	}

	require.Len(t, f.held, len(want))

	for service, r := range want {
		held := f.held[service]
		require.Equal(t, r.GetRevision(), held.GetRevision(), service)
		require.Equal(t, r.GetRecommended().GetCpuMillis(), held.GetRecommended().GetCpuMillis(), service)
		require.Less(t, r.GetExpireTime().AsTime().Sub(held.GetExpireTime().AsTime()), modelExpiry/2, service)
	}
}

// watchModel is the hub behind gRPC on a store that is written to directly, with clients that follow.
type watchModel struct {
	server    *hubServer
	followers []*follower
}

// write commits a value: the same again, or another one. The message makes it so large that few fill a connection.
func (m *watchModel) write(t require.TestingT, service string, again, observe bool) {
	before, err := m.server.store.Get(context.Background(), service)
	if err != nil {
		require.ErrorIs(t, err, store.ErrNotFound)
	}

	const bytes = 8 << 10

	again = again && before.Recommendation != nil
	r := &tidemarkv1.Recommendation{
		Service: service, Recommended: &tidemarkv1.Size{CpuMillis: before.Revision + 1},
		Mode:         tidemarkv1.Mode_MODE_ENFORCE,
		Failure:      &tidemarkv1.Failure{Message: strings.Repeat("x", bytes)},
		EvaluateTime: timestamppb.Now(), ExpireTime: timestamppb.New(time.Now().Add(modelExpiry)),
	}

	if again {
		r.Recommended, r.Mode = before.Recommendation.GetRecommended(), before.Recommendation.GetMode()
	} else if observe {
		r.Mode = tidemarkv1.Mode_MODE_OBSERVE_ONLY
	}

	_, err = m.server.store.Commit(context.Background(), store.Commit{
		Recommendation: r, Changed: !again, Previous: before.Revision,
	})
	require.NoError(t, err)
}

// stall keeps a loop from reading while much is written, and time passes.
func (m *watchModel) stall(t *rapid.T, service string) {
	// Not the follower itself is drawn: what is drawn is printed, also while it changes.
	f := m.followers[rapid.IntRange(0, len(m.followers)-1).Draw(t, "follower")]
	held := make(chan struct{})
	f.stall.Store(&held)

	for range rapid.IntRange(1, 40).Draw(t, "writes") {
		m.write(t, service, false, false)
		synctest.Wait()
	}

	<-time.After(modelPauses.Draw(t, "pause"))
	f.stall.Store(nil)
	close(held)
}

// restart stops the server and starts another, which has the same store or a new one.
func (m *watchModel) restart(t *rapid.T, lose bool) {
	require.NoError(t, m.server.end())

	if lose {
		m.server.store = store.NewMemory()
	}

	<-time.After(modelPauses.Draw(t, "down"))
	require.NoError(t, m.server.start())
}

// The real hub behind gRPC, and the real client: whatever is written, lost, restarted, stalled and expires, every loop that goes on
// ends with what the store holds, no service's revision goes back within what follows a snapshot, and every copy is
// renewed in time.
func TestWatchersOfTheServerEndAtTheFinalState(t *testing.T) {
	var expired, renewed, cases int64

	synctest.Test(t, func(t *testing.T) {
		rapid.Check(struct{ *testing.T }{t}, func(t *rapid.T) { // hides T.Deadline, which a bubble forbids
			m := &watchModel{server: &hubServer{store: store.NewMemory()}}
			require.NoError(t, m.server.start())

			client, err := m.server.here.dial()
			require.NoError(t, err)

			ctx, cancel := context.WithCancel(context.Background())
			service := rapid.SampledFrom([]string{"a/v", "a/w", "b/x", "b/y", "b/z"})

			for _, mode := range []tidemarkv1.Mode{0, tidemarkv1.Mode_MODE_ENFORCE} {
				options := tidemark.WatchOptions{}
				if mode != 0 {
					options.Filter = &tidemarkv1.RecommendationFilter{Modes: []tidemarkv1.Mode{mode}}
				}

				m.followers = append(m.followers, startFollower(ctx, client, options))
			}

			t.Repeat(map[string]func(*rapid.T){
				"write": func(t *rapid.T) {
					m.write(t, service.Draw(t, "service"), false, rapid.Bool().Draw(t, "observe"))
				},
				"renew": func(t *rapid.T) { m.write(t, service.Draw(t, "service"), true, false) },
				"remove": func(t *rapid.T) {
					if _, err := m.server.store.Delete(ctx, service.Draw(t, "service")); err != nil {
						require.ErrorIs(t, err, store.ErrNotFound)
					}
				},
				"settle":  func(*rapid.T) { synctest.Wait() },
				"wait":    func(t *rapid.T) { <-time.After(modelPauses.Draw(t, "pause")) },
				"stall":   func(t *rapid.T) { m.stall(t, service.Draw(t, "service")) },
				"restart": func(t *rapid.T) { m.restart(t, false) },
				"lose":    func(t *rapid.T) { m.restart(t, true) },
			})

			<-time.After(2 * time.Minute)

			snapshot, err := m.server.store.Load(ctx)
			require.NoError(t, err)

			cancel()

			for _, f := range m.followers {
				<-f.done
				f.matches(t, snapshot.Records)
				expired += f.expired.Load()
				renewed += f.renewed.Load()
			}

			cases++

			require.NoError(t, client.Close())
			require.NoError(t, m.server.end())
		})
	})

	require.Positive(t, expired, "tokens have expired in some of %d cases", cases)
	require.Positive(t, renewed, "values have been renewed in some")
}
