package demo

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const exposition = `# HELP tidemark_watch_streams Open watch streams.
# TYPE tidemark_watch_streams gauge
tidemark_watch_streams 2
tidemark_watch_streams_total 7
calls_total{method="List",code="OK"} 3
calls_total{method="List",code="OK",more="} {"} 1e+01
calls_total{method="List",code="UNAVAILABLE"} 50
calls_total{method="Get",code="OK"} 700
`

func TestServerMetrics(t *testing.T) {
	t.Parallel()

	status := http.StatusOK
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = w.Write([]byte(exposition))
	}))

	m := serverMetrics{address: strings.TrimPrefix(server.URL, "http://")}

	streams, err := m.sum(t.Context(), "tidemark_watch_streams")
	require.NoError(t, err)
	require.InDelta(t, 2, streams, 0)

	calls, err := m.sum(t.Context(), "calls_total", `method="List"`, `code="OK"`)
	require.NoError(t, err)
	require.InDelta(t, 13, calls, 0)

	none, err := m.sum(t.Context(), "absent")
	require.NoError(t, err)
	require.Zero(t, none)

	status = http.StatusServiceUnavailable
	_, err = m.sum(t.Context(), "absent")
	require.ErrorContains(t, err, "503")

	server.Close()
	http.DefaultClient.CloseIdleConnections()

	_, err = m.sum(t.Context(), "absent")
	require.Error(t, err)
}
