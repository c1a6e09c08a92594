package kubernetes

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

// connected is an API whose other end is a handler.
func connected(t *testing.T, handler http.HandlerFunc) *api {
	t.Helper()

	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)

	made, err := newAPI(&rest.Config{Host: server.URL + "/behind"}, false)
	require.NoError(t, err)
	t.Cleanup(made.close)

	return made
}

var ordersDB = at{group: apps, namespace: "prod", plural: "statefulsets", name: "orders-db", sub: "scale"}

// failed is the error of a request that is answered with a status.
func failed(t *testing.T, code int, retryAfter string, status metav1.Status) error {
	t.Helper()

	return connected(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", retryAfter)
		w.WriteHeader(code)
		_ = json.NewEncoder(w).Encode(status)
	}).put(t.Context(), ordersDB, nil)
}

func TestWhatAnAnswerMeans(t *testing.T) {
	t.Parallel()

	const where = "update statefulsets/scale of the group apps prod/orders-db: answered "

	for name, test := range map[string]struct {
		code      int
		after     string
		status    metav1.Status
		permanent bool
		asked     time.Duration
		says      string
	}{
		"not there": {code: 404, status: metav1.Status{Message: "no such"}, permanent: true, says: where + "404: no such"},
		"wrong":     {code: 422, status: metav1.Status{Message: "bad"}, permanent: true, says: where + "422: bad"},
		"no right": {
			code: 403, status: metav1.Status{Message: `User "x" cannot update resource`}, permanent: true,
			says: "give the agent's account the verb update on statefulsets/scale of the group apps in the namespace prod",
		},
		"no quota":  {code: 403, status: metav1.Status{Message: "exceeded quota: q"}, asked: time.Minute, says: "exceeded"},
		"admission": {code: 403, status: metav1.Status{Message: "denied by x"}, permanent: true, says: "denied by x"},
		"just started": {
			code: 403, status: metav1.Status{Message: "not yet ready to handle request"}, asked: 10 * time.Second, says: where + "403",
		},
		"node": {
			code: 403, permanent: true, says: "a lot",
			status: metav1.Status{Message: "a lot", Details: &metav1.StatusDetails{Causes: []metav1.StatusCause{{Type: "NodeCapacity"}}}},
		},
		"changed meanwhile": {code: 409, status: metav1.Status{Message: "the object has been modified"}, says: where + "409"},
		"another's": {
			code: 409, permanent: true, says: `(conflict with "helm": .spec.x): leave it out there, or start the agent with ` +
				"--kubernetes-force-conflicts",
			status: metav1.Status{Message: "m", Details: &metav1.StatusDetails{Causes: []metav1.StatusCause{
				{Type: metav1.CauseTypeFieldManagerConflict, Message: `conflict with "helm"`, Field: ".spec.x"},
			}}},
		},
		"token":        {code: 401, says: where + `401: "{`},
		"too many":     {code: 429, after: "7", asked: 7 * time.Second, says: where + "429"},
		"down":         {code: 503, says: where + "503"},
		"down a while": {code: 500, status: metav1.Status{Details: &metav1.StatusDetails{RetryAfterSeconds: 3}}, asked: 3 * time.Second},
		"expired":      {code: 410, says: where + "410"},
	} {
		err := failed(t, test.code, test.after, test.status)
		require.ErrorContains(t, err, test.says, name)
		require.Equal(t, test.permanent, permanent(err), name)
		require.Equal(t, test.asked, asked(err), name)
		require.True(t, answered(err, test.code), name)
		require.Equal(t, name == "another's", conflicting(err), name)
		require.Equal(t, name == "wrong" || name == "node", impossible(err), name)
	}
}

func TestANetworkThatFails(t *testing.T) {
	t.Parallel()

	down := connected(t, nil)
	down.base.Host = "127.0.0.1:1"

	err := down.put(t.Context(), ordersDB, nil)
	require.ErrorContains(t, err, "refused")
	require.False(t, permanent(err))
	require.Zero(t, asked(err))

	broken := connected(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("{")) })
	require.ErrorContains(t, broken.get(t.Context(), ordersDB, nil, new(workload)), "the answer cannot be read")
}

func TestWhereThingsAre(t *testing.T) {
	t.Parallel()

	seen := ""
	server := connected(t, func(w http.ResponseWriter, r *http.Request) {
		seen = r.Method + " " + r.URL.Path

		_, _ = w.Write([]byte("{}"))
	})

	require.NoError(t, server.put(t.Context(), ordersDB, 1))
	require.Equal(t, "PUT /behind/apis/apps/v1/namespaces/prod/statefulsets/orders-db/scale", seen)

	require.NoError(t, server.get(t.Context(), at{namespace: "prod", plural: "pods"}, nil, new(list[pod])))
	require.Equal(t, "GET /behind/api/v1/namespaces/prod/pods", seen)

	require.NoError(t, server.discover(t.Context(), new(metav1.APIResourceList)))
	require.Equal(t, "GET /behind/api/v1", seen)
}

// watched is what await makes of a list and what follows it.
func watched(t *testing.T, ctx context.Context, listed string, events ...string) (seen []string, err error) {
	t.Helper()

	server := connected(t, func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, "metadata.name=x", r.URL.Query().Get("fieldSelector"))

		if r.URL.Query().Get("watch") == "" {
			_, _ = w.Write([]byte(`{"metadata":{"resourceVersion":"7"},"items":[` + listed + `]}`))

			return
		}

		assert.Equal(t, "7", r.URL.Query().Get("resourceVersion"))

		for _, event := range events {
			_, _ = w.Write([]byte(event + "\n"))
		}
	})

	err = await(ctx, server, at{namespace: "n", plural: "pods", name: "x"}, func(now *pod) (bool, error) {
		seen = append(seen, now.Status.Phase)

		return now.Status.Phase == "Done", nil
	})

	return seen, err
}

func TestWaitingForAChange(t *testing.T) {
	t.Parallel()

	event := func(kind, phase string) string {
		return `{"type":"` + kind + `","object":{"status":{"phase":"` + phase + `"}}}`
	}

	seen, err := watched(t, t.Context(), `{"status":{"phase":"Done"}}`)
	require.NoError(t, err)
	require.Equal(t, []string{"Done"}, seen)

	seen, err = watched(t, t.Context(), `{"status":{"phase":"A"}}`, event("MODIFIED", "B"), event("BOOKMARK", "C"), event("ADDED", "Done"))
	require.NoError(t, err)
	require.Equal(t, []string{"A", "B", "Done"}, seen)

	_, err = watched(t, t.Context(), "")
	require.ErrorIs(t, err, errGone)

	_, err = watched(t, t.Context(), "{}", event("DELETED", "Done"))
	require.ErrorIs(t, err, errGone)

	// A watch that breaks off is begun anew, from a list; that ends with the context only.
	ctx, cancel := context.WithTimeoutCause(t.Context(), watchPause*3/2, context.DeadlineExceeded)
	defer cancel()

	seen, err = watched(t, ctx, `{"status":{"phase":"A"}}`, event("MODIFIED", "B"), event("ERROR", ""))
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.Equal(t, []string{"A", "B", "A", "B"}, seen)
}
