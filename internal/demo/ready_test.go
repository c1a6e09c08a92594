package demo

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/clients/tidemark/tidemarktest"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

func TestReadinessOfAgentAndCron(t *testing.T) {
	t.Parallel()

	text := "tidemark_watch_streams 0\n"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(text))
	}))

	defer http.DefaultClient.CloseIdleConnections()
	defer server.Close()

	r := readiness{metrics: serverMetrics{address: strings.TrimPrefix(server.URL, "http://")}}

	require.EqualError(t, r.agentFollows(t.Context()), "the server has no open watch stream")
	require.EqualError(t, r.cronConnected(t.Context()), "the server has no answered ListServices call")

	text = "tidemark_watch_streams 1\n" +
		`grpc_server_handled_total{grpc_code="OK",grpc_method="ListServices"} 1` + "\n"

	require.NoError(t, r.agentFollows(t.Context()))
	require.NoError(t, r.cronConnected(t.Context()))
}

func TestReadinessOfSignals(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := tidemarktest.New()
		defer server.Close()

		client := server.Dial()
		defer client.Close() //nolint:errcheck // the test ends

		signals := 0
		r := readiness{
			client: client, canary: "a/canary", services: 2, pollInterval: 2 * time.Second,
			signal: func(context.Context) error {
				signals++

				return nil
			},
		}

		require.Error(t, r.signalsConnected(t.Context()), "nothing is known of the canary")
		require.Equal(t, 1, signals)

		periodic := evaluated("a/canary", gib)
		periodic.Triggers = []*tidemarkv1.TriggerRecord{{Trigger: tidemarkv1.Trigger_TRIGGER_PERIODIC}}
		server.Put(periodic)

		require.EqualError(t, r.signalsConnected(t.Context()), "a/canary was not evaluated because of a signal yet")
		require.Equal(t, 1, signals, "not sent again so soon")

		advance(6 * time.Second)
		require.Error(t, r.signalsConnected(t.Context()))
		require.Equal(t, 2, signals)

		periodic.Triggers[0].Trigger = tidemarkv1.Trigger_TRIGGER_SIGNAL
		server.Put(periodic)
		require.NoError(t, r.signalsConnected(t.Context()))

		require.EqualError(t, r.swept(t.Context()), "1 of 2 services are evaluated")
		server.Put(evaluated("a/b", gib))
		require.NoError(t, r.swept(t.Context()))
	})
}
