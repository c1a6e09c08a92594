package server_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/stretchr/testify/require"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/server"
)

// patience is how long a busy machine may take for what a test waits for.
const patience = 30 * time.Second

func get(t *testing.T, s *running, path string) (int, string) {
	t.Helper()

	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: patience}

	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+s.server.HTTPAddr().String()+path, nil)
	require.NoError(t, err)

	response, err := client.Do(request)
	require.NoError(t, err)

	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())

	return response.StatusCode, string(body)
}

func withWeb() server.Config {
	config := server.DefaultConfig()
	config.HTTPListen = "localhost:0"

	return config
}

func TestTheHTTPPort(t *testing.T) {
	s := run(t, withWeb())

	s.enqueue(t, "prod/a")
	require.Eventually(t, func() bool {
		_, err := s.GetRecommendation(t.Context(), &tidemarkv1.GetRecommendationRequest{Service: "prod/a"})

		return err == nil
	}, patience, time.Millisecond)

	_, err := tidemarkv1.NewRunServiceClient(s.conn).ListRuns(t.Context(), &tidemarkv1.ListRunsRequest{})
	require.Error(t, err)

	code, _ := get(t, s, "/healthz")
	require.Equal(t, http.StatusNoContent, code)

	code, _ = get(t, s, "/readyz")
	require.Equal(t, http.StatusNoContent, code)

	code, _ = get(t, s, "/other")
	require.Equal(t, http.StatusNotFound, code)

	code, metrics := get(t, s, "/metrics")
	require.Equal(t, http.StatusOK, code)

	for _, series := range []string{
		`grpc_server_handled_total{grpc_code="OK",grpc_method="Enqueue",grpc_service="tidemark.v1.RecommendationService",grpc_type="unary"} 1`,
		`grpc_server_handled_total{grpc_code="OK",grpc_method="WatchRecommendations",grpc_service="tidemark.v1.RecommendationService",grpc_type="server_stream"} 0`,
		`tidemark_evaluation_duration_seconds_count{outcome="succeeded"} 1`,
		"tidemark_handler_panics_total 0",
		"tidemark_watch_streams 0",
		"tidemark_queue_items",
		"go_goroutines",
		"process_open_fds",
	} {
		require.Contains(t, metrics, series)
	}

	require.NotContains(t, metrics, "RunService", "callers cannot make series by calling what is not there")
}

// The caller's parts show their metrics beside the server's.
func TestTheRegistryMayBeTheCallers(t *testing.T) {
	registry := prometheus.NewRegistry()
	promauto.With(registry).NewCounter(prometheus.CounterOpts{Name: "of_the_caller_total", Help: "Its own."})

	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "localhost:0")
	require.NoError(t, err)

	s, err := withWeb().Complete(t.Context(), server.Dependencies{
		Usage: &fakeUsage{}, Inventory: fakeLister{}, Policies: doubling{}, Listener: listener, Registry: registry,
	}, discard)
	require.NoError(t, err)

	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)

	go func() { ended <- s.Run(ctx) }()

	code, metrics := get(t, &running{server: s}, "/metrics")
	require.Equal(t, http.StatusOK, code)
	require.Contains(t, metrics, "of_the_caller_total 0")
	require.Contains(t, metrics, "tidemark_watch_streams 0")

	stop()
	require.NoError(t, <-ended)
}

func TestReadinessEndsWithTheStop(t *testing.T) {
	s := run(t, withWeb())
	release := make(chan struct{})

	s.usage.set(func(context.Context) error {
		<-release

		return nil
	})
	s.enqueue(t, "prod/a")
	require.Eventually(t, func() bool { return s.usage.running.Load() == 1 }, patience, time.Millisecond)

	s.stop()
	require.Eventually(t, func() bool {
		code, _ := get(t, s, "/readyz")

		return code == http.StatusServiceUnavailable
	}, patience, time.Millisecond)

	code, _ := get(t, s, "/healthz")
	require.Equal(t, http.StatusNoContent, code, "it is not broken, it only takes nothing more")
	close(release)
	require.NoError(t, s.end())
}

func TestThereNeedNotBeAnHTTPPort(t *testing.T) {
	s := run(t, quiet())
	require.Nil(t, s.server.HTTPAddr())
	require.True(t, strings.HasPrefix(s.server.Addr().String(), "bufconn"))
}

func TestReportsAndDeletionsAreCounted(t *testing.T) {
	s := run(t, withWeb())
	s.enqueue(t, "prod/a")

	var revision int64

	require.Eventually(t, func() bool {
		got, err := s.GetRecommendation(t.Context(), &tidemarkv1.GetRecommendationRequest{Service: "prod/a"})
		revision = got.GetRecommendation().GetRevision()

		return err == nil
	}, patience, time.Millisecond)

	_, err := s.ReportScaling(t.Context(), &tidemarkv1.ReportScalingRequest{
		Service: "prod/a", Revision: revision, Outcome: tidemarkv1.ScalingOutcome_SCALING_OUTCOME_REFUSED,
	})
	require.NoError(t, err)

	_, err = s.ReportScaling(t.Context(), &tidemarkv1.ReportScalingRequest{
		Service: "prod/a", Revision: revision - 1, Outcome: tidemarkv1.ScalingOutcome_SCALING_OUTCOME_APPLIED,
	})
	require.NoError(t, err)

	_, err = s.DeleteService(t.Context(), &tidemarkv1.DeleteServiceRequest{Service: "prod/a"})
	require.NoError(t, err)

	_, metrics := get(t, s, "/metrics")
	require.Contains(t, metrics, `tidemark_scaling_reports_total{outcome="refused",revision="current"} 1`)
	require.Contains(t, metrics, `tidemark_scaling_reports_total{outcome="applied",revision="outdated"} 1`)
	require.Contains(t, metrics, `tidemark_services_deleted_total{cause="ordered"} 1`)
}
