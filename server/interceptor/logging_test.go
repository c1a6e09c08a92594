package interceptor_test

import (
	"errors"
	"testing"
	"testing/synctest"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/reflection/grpc_reflection_v1"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/server/store"
	"github.com/tidemark-project/tidemark/server/watch"
)

func TestEveryCallIsOneLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t)

		for _, c := range []struct {
			err         error
			code, level string
			lines       int
		}{
			{nil, "OK", "INFO", 1},
			{watch.NotFoundError{Service: "prod/a"}, "NotFound", "INFO", 1},
			{watch.ErrTooSlow, "Aborted", "WARN", 1},
			{store.ErrClosed, "Unavailable", "WARN", 1},
			{errors.New("disk on fire"), "Internal", "ERROR", 2}, // the particulars, which the caller does not see
		} {
			f.service.set(func() error { return c.err })

			for method, call := range f.calls(t) {
				_ = call()

				synctest.Wait()

				entries := f.log.taken(t)
				require.Len(t, entries, c.lines)

				line := entries[c.lines-1]
				require.Equal(t, "finished call", line["msg"])
				require.Equal(t, c.level, line["level"])
				require.Equal(t, c.code, line["grpc.code"], "what the caller saw")
				require.Equal(t, method, line["grpc.method"])
				require.Equal(t, "tidemark.v1.RecommendationService", line["grpc.service"])
				require.Contains(t, line, "grpc.time_ms")

				if c.lines == 2 {
					require.Equal(t, "disk on fire", entries[0]["error"])
					require.Equal(t, "/tidemark.v1.RecommendationService/"+method, entries[0]["method"])
				}
			}
		}
	})
}

func TestHealthAndReflectionAreQuiet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t)

		_, err := healthpb.NewHealthClient(f.conn).Check(t.Context(), &healthpb.HealthCheckRequest{})
		require.NoError(t, err)

		_, err = healthpb.NewHealthClient(f.conn).Check(t.Context(), &healthpb.HealthCheckRequest{Service: "unknown"})
		require.Error(t, err)

		stream, err := grpc_reflection_v1.NewServerReflectionClient(f.conn).ServerReflectionInfo(t.Context())
		require.NoError(t, err)
		require.NoError(t, stream.CloseSend())

		_, _ = stream.Recv()

		synctest.Wait()

		entries := f.log.taken(t)
		require.Len(t, entries, 3)

		for _, entry := range entries {
			require.Equal(t, "DEBUG", entry["level"], entry)
		}
	})
}

// series returns the counted calls by method and code.
func series(t *testing.T, registry *prometheus.Registry) map[string]float64 {
	t.Helper()

	families, err := registry.Gather()
	require.NoError(t, err)

	counts := make(map[string]float64)

	for _, family := range families {
		if family.GetName() != "grpc_server_handled_total" {
			continue
		}

		for _, metric := range family.GetMetric() {
			labels := make(map[string]string)
			for _, label := range metric.GetLabel() {
				labels[label.GetName()] = label.GetValue()
			}

			counts[labels["grpc_method"]+" "+labels["grpc_code"]] = metric.GetCounter().GetValue()
		}
	}

	return counts
}

func TestCallsAreCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t)

		require.Contains(t, series(t, f.registry), "Enqueue OK", "before the first call")

		calls := f.calls(t)
		_, _ = calls["Enqueue"](), calls["WatchRecommendations"]()

		f.service.set(func() error { panic("bad") })

		_, _ = calls["Enqueue"](), calls["WatchRecommendations"]()

		err := f.conn.Invoke(t.Context(), "/tidemark.v1.RecommendationService/MadeUp", &tidemarkv1.EnqueueRequest{}, &tidemarkv1.EnqueueResponse{})
		require.Error(t, err)

		f.stop()

		counts := series(t, f.registry)
		for _, one := range []string{
			"Enqueue OK", "Enqueue Internal", "WatchRecommendations OK", "WatchRecommendations Internal",
		} {
			require.InDelta(t, 1, counts[one], 0, one)
		}

		for name := range counts {
			require.NotContains(t, name, "MadeUp", "a caller must not make a series by a name of their choice")
		}
	})
}
