package agent

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protojson"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// roundTrip is a network that a test makes up.
type roundTrip func(*http.Request) (*http.Response, error)

func (r roundTrip) RoundTrip(request *http.Request) (*http.Response, error) { return r(request) }

// post applies one recommendation to a webhook whose other end answers with the status and header.
func post(t *testing.T, status int, header http.Header) error {
	t.Helper()

	hook, err := NewWebhook(WebhookConfig{URL: "http://hook.test", Transport: roundTrip(
		func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: status, Status: http.StatusText(status), Header: header, Body: http.NoBody}, nil
		})})
	require.NoError(t, err)

	return hook.Apply(t.Context(), advice("a/x", 1, 2))
}

func TestWhatAnAnswerMeans(t *testing.T) {
	t.Parallel()

	for _, status := range []int{200, 201, 202, 204} {
		require.NoError(t, post(t, status, nil))
	}

	for _, status := range []int{301, 302, 307, 400, 401, 403, 404, 409, 422} {
		require.True(t, permanent(post(t, status, nil)), status)
	}

	for _, status := range []int{408, 425, 429, 500, 502, 503, 504} {
		err := post(t, status, nil)
		require.ErrorContains(t, err, http.StatusText(status))
		require.False(t, permanent(err), status)

		delay, deferred := wait(err)
		require.Zero(t, delay)
		require.False(t, deferred)
	}

	delay, _ := wait(post(t, 429, http.Header{"Retry-After": {"7"}}))
	require.Equal(t, 7*time.Second, delay)
}

func TestRetryAfterHeader(t *testing.T) {
	t.Parallel()

	now := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

	for header, want := range map[string]time.Duration{
		"": 0, "x": 0, "-1": 0, "0": 0, "120": 2 * time.Minute, "99999999999": 0,
		"Tue, 01 Dec 2026 12:00:30 GMT": 30 * time.Second, "Tue, 01 Dec 2026 11:00:00 GMT": 0,
	} {
		require.Equal(t, want, retryAfter(header, now), header)
	}
}

func TestANetworkThatFailsIsTriedAgain(t *testing.T) {
	t.Parallel()

	hook, err := NewWebhook(WebhookConfig{URL: "http://hook.test", Transport: roundTrip(
		func(*http.Request) (*http.Response, error) { return nil, errors.New("connection refused") })})
	require.NoError(t, err)

	err = hook.Apply(t.Context(), advice("a/x", 1, 2))
	require.ErrorContains(t, err, "connection refused")
	require.False(t, permanent(err))
}

func TestAWebhookNeedsAURL(t *testing.T) {
	t.Parallel()

	for _, url := range []string{"", "hook.test", "/path", "ftp://hook.test", "http://", ":"} {
		_, err := NewWebhook(WebhookConfig{URL: url})
		require.ErrorIs(t, err, errWebhookURL, url)
	}
}

// TestTheWebhookEndToEnd goes from a change on the server to a request at a real HTTP server, which first is out of order.
func TestTheWebhookEndToEnd(t *testing.T) {
	t.Parallel()

	type call struct {
		header http.Header
		body   *tidemarkv1.Recommendation
	}

	secret := []byte("known to both sides")
	calls, tries := make(chan call, 10), 0

	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if tries++; tries == 1 {
			http.Error(w, "starting", http.StatusServiceUnavailable)

			return
		}

		raw, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}

		if err := VerifySignature(secret, r.Header, raw, time.Now(), time.Minute); err != nil {
			http.Error(w, err.Error(), http.StatusForbidden)

			return
		}

		got := call{header: r.Header, body: &tidemarkv1.Recommendation{}}
		if protojson.Unmarshal(raw, got.body) == nil && r.Method == http.MethodPost {
			calls <- got
		}
	}))
	defer receiver.Close()

	hook, err := NewWebhook(WebhookConfig{
		URL: receiver.URL, Header: http.Header{"authorization": {"Bearer secret"}},
		Secrets: func() ([][]byte, error) { return [][]byte{[]byte("that of yesterday"), secret}, nil },
	})
	require.NoError(t, err)

	defer hook.Close()

	server, client := connected(t)
	server.Put(advice("prod/orders-db", 1, 2))

	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	config := Config{Watcher: client, Actuator: hook, Snapshot: SnapshotOutstanding, MinRetryDelay: time.Millisecond}

	go func() { done <- New(config, slog.New(slog.DiscardHandler)).Run(ctx) }()

	got := <-calls
	require.Equal(t, "prod/orders-db@1", got.header.Get("Idempotency-Key"))
	require.Equal(t, "application/json", got.header.Get("Content-Type"))
	require.Equal(t, "ENFORCE", got.header.Get(ModeHeader))
	require.Equal(t, "Bearer secret", got.header.Get("Authorization"))
	require.EqualValues(t, 2000, got.body.GetRecommended().GetCpuMillis())

	cancel()
	require.ErrorIs(t, <-done, context.Canceled)
}
