//go:build unix

package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/tidemark-project/tidemark/clients/tidemark"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/server"
	"github.com/tidemark-project/tidemark/server/store"
)

// stoppedAgentServer makes this test program an agent of the server at the address.
const stoppedAgentServer = "TIDEMARK_TEST_STOPPED_AGENT_SERVER"

// TestStoppedAgentProcess is the agent of TestAStoppedAgentEndsCurrent.
func TestStoppedAgentProcess(t *testing.T) {
	address := os.Getenv(stoppedAgentServer)
	if address == "" {
		t.Skip("runs within another test")
	}

	args := []string{"agent", "--json", "--snapshot", "all", "--server", address}
	require.NoError(t, run(t.Context(), args, os.Stdout, os.Stderr))
}

// agentProcess is an agent in a process of its own, and the revisions that it has printed.
type agentProcess struct {
	process *os.Process
	printed chan *tidemarkv1.Recommendation
}

func startAgentProcess(t *testing.T, address string) *agentProcess {
	t.Helper()

	self, err := os.Executable()
	require.NoError(t, err)

	command := exec.Command(self, "-test.run=^TestStoppedAgentProcess$")
	command.Env = append(os.Environ(), stoppedAgentServer+"="+address)

	out, err := command.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())

	a := &agentProcess{process: command.Process, printed: make(chan *tidemarkv1.Recommendation)}

	go a.read(out)

	t.Cleanup(func() {
		require.NoError(t, a.process.Kill())

		for range a.printed { // until it has ended
		}

		require.Error(t, command.Wait(), "it was killed")
	})

	return a
}

func (a *agentProcess) read(out io.Reader) {
	defer close(a.printed)

	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)

	for lines.Scan() {
		r := &tidemarkv1.Recommendation{}
		if protojson.Unmarshal(lines.Bytes(), r) == nil {
			a.printed <- r
		}
	}
}

// waitFor returns when the agent has printed the revision of the service.
func (a *agentProcess) waitFor(t *testing.T, service string, revision int64) {
	t.Helper()

	const patience = time.Minute

	for timeout := time.After(patience); ; {
		select {
		case r, running := <-a.printed:
			require.True(t, running, "the agent has ended")

			if r.GetService() == service && r.GetRevision() == revision {
				return
			}
		case <-timeout:
			require.Fail(t, "the agent did not print it", "%s at revision %d", service, revision)
		}
	}
}

// endedSlow is how many streams the server has ended because nobody read them.
func endedSlow(t *testing.T, registry *prometheus.Registry) float64 {
	t.Helper()

	families, err := registry.Gather()
	require.NoError(t, err)

	for _, family := range families {
		for _, m := range family.GetMetric() {
			if family.GetName() == "tidemark_watch_ended_total" && m.GetLabel()[0].GetValue() == "slow" {
				return m.GetCounter().GetValue()
			}
		}
	}

	return 0
}

// An agent's process that is stopped for longer than the server waits, while values change and change again, ends with the
// latest of each once it runs again; meanwhile others that watch the server are told of every change at once.
func TestAStoppedAgentEndsCurrent(t *testing.T) {
	st, registry := store.NewMemory(), prometheus.NewRegistry()
	config := server.DefaultConfig()
	config.Listen, config.HTTPListen = "127.0.0.1:0", ""
	config.Watch.SendTimeout, config.Watch.HeartbeatInterval = time.Second, time.Second

	complete, err := config.Complete(t.Context(), server.Dependencies{
		Usage: usageOf(steadily), Inventory: twoServices{}, Policies: doubling{}, Store: st, Registry: registry,
	}, slog.New(slog.DiscardHandler))
	require.NoError(t, err)

	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)

	go func() { done <- complete.Run(ctx) }()

	t.Cleanup(func() {
		stop()
		require.NoError(t, <-done)
	})

	const services = 100

	first := written(t, st, "prod/a")
	stopped := startAgentProcess(t, complete.Addr().String())
	stopped.waitFor(t, "prod/a", first)

	require.NoError(t, stopped.process.Signal(syscall.SIGSTOP))

	client, err := tidemark.Dial(complete.Addr().String(), tidemark.WithPlaintext())
	require.NoError(t, err)

	defer func() { require.NoError(t, client.Close()) }()

	const atOnce = 5 * time.Second // on a machine that others use too

	var last map[string]int64

	for deadline := time.Now().Add(time.Minute); endedSlow(t, registry) == 0; {
		require.True(t, time.Now().Before(deadline), "the stream of the stopped agent was not ended")

		last = make(map[string]int64)

		for i := range services {
			service := fmt.Sprintf("prod/s%d", i)
			last[service] = written(t, st, service)
		}

		// A read that waits for what was just written shows whether the hub keeps up.
		began := time.Now()

		_, err := client.Get(t.Context(), &tidemarkv1.GetRecommendationRequest{
			Service: "prod/s0", MinRevision: last[fmt.Sprintf("prod/s%d", services-1)],
		})
		require.NoError(t, err)
		require.Less(t, time.Since(began), atOnce)
	}

	require.NoError(t, stopped.process.Signal(syscall.SIGCONT))

	for len(last) > 0 {
		select {
		case r := <-stopped.printed:
			if r.GetRevision() == last[r.GetService()] {
				delete(last, r.GetService())
			}
		case <-time.After(time.Minute):
			require.Empty(t, last, "the agent did not catch up")
		}
	}
}
