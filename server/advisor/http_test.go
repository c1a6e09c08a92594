package advisor

import (
	"bytes"
	"encoding/pem"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/recommender/external"
	"github.com/tidemark-project/tidemark/recommender/size"
	"github.com/tidemark-project/tidemark/recommender/usage"
)

var orders = Request{
	Service: "prod/orders-db", Allocation: size.Size{CPUMillis: 1_000, MemoryBytes: 1 << 30, Replicas: 3},
	Usage: usage.Snapshot{Windows: []usage.Window{{Length: 3 * time.Hour, Coverage: 1, CPUPeakMillis: 700}}},
}

// start returns an advisor and what it logs.
func start(t *testing.T) (*Advisor, *bytes.Buffer) {
	t.Helper()

	log := &bytes.Buffer{}
	a, err := New(prometheus.NewRegistry(), slog.New(slog.NewTextHandler(log, nil)))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, a.Close()) })

	return a, log
}

// ask asks one HTTP handler.
func ask(t *testing.T, handler http.HandlerFunc) (size.Size, error) {
	t.Helper()

	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)

	a, _ := start(t)
	advice, err := a.Advise(t.Context(), overHTTP(server.URL+"/recommend?cluster=eu"), orders)

	if err == nil {
		require.WithinDuration(t, time.Now(), advice.Time, time.Minute)
	} else {
		require.Zero(t, advice)
	}

	return advice.Size, err
}

func overHTTP(url string) external.Params {
	params := external.Defaults()
	params.Endpoint = external.Endpoint{Protocol: external.ProtocolHTTP, Address: url}
	params.Component = "tikv"

	return params
}

func answering(format string, args ...any) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprintf(w, format, args...) }
}

func TestTheOperatorsProtocol(t *testing.T) {
	answer, err := ask(t, func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		if r.Method != http.MethodGet || r.URL.Path != "/recommend" || query.Get("cluster") != "eu" {
			w.WriteHeader(http.StatusBadRequest)
		}

		_, _ = fmt.Fprintf(w, `{"name":%q,"namespace":%q,"type":%q,"recommendedReplicas":5,"extra":{}}`,
			query.Get("name"), query.Get("namespace"), query.Get("type"))
	})
	require.NoError(t, err)
	require.Equal(t, size.Size{Replicas: 5}, answer)
}

// The operator sends "1" for a thousandth of what it means; quantities are read in canonical units.
func TestQuantitiesAreCanonical(t *testing.T) {
	answer, err := ask(t, answering(
		`{"name":"orders-db","namespace":"prod","type":"tikv","recommendedCPU":"1","recommendedMemory":"10G"}`))
	require.NoError(t, err)
	require.Equal(t, size.Size{CPUMillis: 1_000, MemoryBytes: 10_000_000_000}, answer)
}

func TestBadAnswersAreNone(t *testing.T) {
	const good = `"name":"orders-db","namespace":"prod","type":"tikv"`

	for want, handler := range map[string]http.HandlerFunc{
		`asked was for "orders-db", "prod", "tikv"`: answering(`{"name":"users-db","namespace":"prod","type":"tikv","recommendedReplicas":5}`),
		"not the JSON object":                       answering(`<html>`),
		"recommends nothing":                        answering(`{%s}`, good),
		"recommendedReplicas is -1":                 answering(`{%s,"recommendedReplicas":-1}`, good),
		"recommendedReplicas is 5000000":            answering(`{%s,"recommendedReplicas":5000000}`, good),
		"recommendedCPU":                            answering(`{%s,"recommendedCPU":"two"}`, good),
		"recommendedMemory":                         answering(`{%s,"recommendedMemory":"512m"}`, good),
		"longer than":                               answering(`{"name":"%s"}`, strings.Repeat("x", maxAnswer)),
		"500 Internal Server Error":                 func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) },
		"does not know the service":                 func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound) },
		"only its own host is followed": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://metadata.invalid/", http.StatusFound)
		},
		"too many redirects": func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.String(), http.StatusFound) },
	} {
		t.Run(want, func(t *testing.T) {
			_, err := ask(t, handler)
			require.ErrorContains(t, err, want)
			require.ErrorContains(t, err, "prod/orders-db")
		})
	}
}

// The query of a URL may hold a secret.
func TestTheQueryOfAnAddressIsNotShown(t *testing.T) {
	a, log := start(t)
	params := overHTTP("http://127.0.0.1:1/recommend?key=secret")

	_, err := a.Advise(t.Context(), params, orders)
	require.ErrorContains(t, err, "127.0.0.1:1/recommend")
	require.NotContains(t, err.Error(), "secret")
	require.Contains(t, log.String(), "gives no good answer")
	require.NotContains(t, log.String(), "secret")
}

// Whatever an endpoint sends: what is accepted is a size that a service can have.
func FuzzAnswer(f *testing.F) {
	const echo = `"name":"orders-db","namespace":"prod","type":"tikv"`

	for _, seed := range []string{
		"", "null", "[]", "{}", "{" + echo + "}", "{" + echo + `,"recommendedReplicas":5}`,
		"{" + echo + `,"recommendedReplicas":1e3}`, "{" + echo + `,"recommendedReplicas":99999999999999999999}`,
		"{" + echo + `,"recommendedCPU":"500m","recommendedMemory":"2Gi"}`, "{" + echo + `,"recommendedCPU":"1e99"}`,
		"{" + echo + `,"recommendedReplicas":2} trailing`, `{"NAME":"orders-db",` + echo + `,"recommendedReplicas":2}`,
	} {
		f.Add([]byte(seed))
	}

	f.Fuzz(func(t *testing.T, body []byte) {
		answer, err := parse(body, "prod", "orders-db", "tikv")
		if err != nil {
			require.Zero(t, answer)

			return
		}

		require.NotZero(t, answer)
		require.GreaterOrEqual(t, answer.CPUMillis, int64(0))
		require.LessOrEqual(t, answer.CPUMillis, size.MaxCPUMillis)
		require.GreaterOrEqual(t, answer.MemoryBytes, int64(0))
		require.LessOrEqual(t, answer.MemoryBytes, size.MaxMemoryBytes)
		require.GreaterOrEqual(t, answer.Replicas, int32(0))
	})
}

func TestASlowAnswerIsNone(t *testing.T) {
	release := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(release) })

	a, _ := start(t)
	params := overHTTP(server.URL)
	params.Timeout = 20 * time.Millisecond

	_, err := a.Advise(t.Context(), params, orders)
	require.ErrorContains(t, err, "no answer within 20ms")
}

func TestTLSWithAnOwnAuthority(t *testing.T) {
	server := httptest.NewTLSServer(answering(`{"name":"orders-db","namespace":"prod","type":"tikv","recommendedReplicas":2}`))
	t.Cleanup(server.Close)

	file := filepath.Join(t.TempDir(), "ca.pem")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	require.NoError(t, os.WriteFile(file, block, 0o600))

	a, _ := start(t)
	params := overHTTP(server.URL)

	_, err := a.Advise(t.Context(), params, orders)
	require.ErrorContains(t, err, "certificate")

	params.Endpoint.CAFile = file
	advice, err := a.Advise(t.Context(), params, orders)
	require.NoError(t, err)
	require.EqualValues(t, 2, advice.Size.Replicas)

	params.Endpoint.CAFile = file + ".missing"
	_, err = a.Advise(t.Context(), params, orders)
	require.ErrorContains(t, err, "certificates: ")
}
