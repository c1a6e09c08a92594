package agent

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

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
	config.Watcher, config.Actuator = client, r
	running(t, New(config, slog.New(slog.DiscardHandler)), r)

	return r
}

// running runs an agent with that actuator until the bubble ends.
func running(t *testing.T, agent *Agent, r *recorder) {
	t.Helper()

	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)

	go func() { done <- agent.Run(ctx) }()

	t.Cleanup(func() {
		cancel()
		require.ErrorIs(t, <-done, context.Canceled)
		require.Empty(t, r.broke)
	})
	synctest.Wait()
}
