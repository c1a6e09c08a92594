package agent_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"time"

	"github.com/tidemark-project/tidemark/clients/agent"
	"github.com/tidemark-project/tidemark/clients/tidemark/tidemarktest"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

func exampleServer() *tidemarktest.Server {
	server := tidemarktest.New()
	server.Put(&tidemarkv1.Recommendation{
		Service:     "prod/orders-db",
		Allocation:  &tidemarkv1.Size{CpuMillis: 1000, MemoryBytes: 4 << 30, Replicas: 3},
		Recommended: &tidemarkv1.Size{CpuMillis: 1500, MemoryBytes: 8 << 30, Replicas: 3},
		Direction:   tidemarkv1.Direction_DIRECTION_UP,
		Mode:        tidemarkv1.Mode_MODE_ENFORCE,
		Status:      tidemarkv1.Status_STATUS_OK,
	})

	return server
}

// An actuator is any function that makes a service as large as it should be.
func ExampleAgent_Run() {
	server := exampleServer()
	defer server.Close()

	client := server.Dial()
	defer client.Close() //nolint:errcheck // the program ends

	ctx, stop := context.WithCancel(context.Background())

	resize := func(_ context.Context, r *tidemarkv1.Recommendation) error {
		fmt.Println("resizing", r.GetService(), "to", r.GetRecommended().GetCpuMillis(), "millicores")
		stop() // a real agent goes on

		return nil
	}

	err := agent.New(agent.Config{
		Watcher:  client,
		Actuator: agent.ActuatorFunc(resize),
		Snapshot: agent.SnapshotOutstanding,
	}, slog.New(slog.DiscardHandler)).Run(ctx)

	fmt.Println(err)
	// Output:
	// resizing prod/orders-db to 1500 millicores
	// context canceled
}

// A receiver of webhooks checks that they come from the agent.
func ExampleVerifySignature() {
	secret := []byte("at least sixteen bytes, from a file")

	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
		if err != nil {
			http.Error(w, "too long", http.StatusBadRequest)

			return
		}

		if err := agent.VerifySignature(secret, r.Header, body, time.Now(), 5*time.Minute); err != nil {
			fmt.Println(err)
			http.Error(w, "not for you", http.StatusForbidden)

			return
		}

		fmt.Println("genuine:", r.Header.Get("Idempotency-Key"))
	}))
	defer receiver.Close()

	server := exampleServer()
	defer server.Close()

	for _, known := range [][]byte{secret, []byte("guessed by somebody else")} {
		hook, err := agent.NewWebhook(agent.WebhookConfig{
			URL:     receiver.URL,
			Secrets: func() ([][]byte, error) { return [][]byte{known}, nil },
		})
		if err != nil {
			fmt.Println(err)

			return
		}

		err = hook.Apply(context.Background(), server.Recommendations()[0])
		fmt.Println(err)
		hook.Close()
	}
	// Output:
	// genuine: prod/orders-db@1
	// <nil>
	// the request is not signed as it should be: no signature in Tidemark-Signature is right
	// post: answered 403 Forbidden: "not for you\n"
}

// A program is told of each recommendation, and says by its exit status what became of it.
func ExampleNewExec() {
	server := exampleServer()
	defer server.Close()

	resize, err := agent.NewExec(agent.ExecConfig{
		Command: []string{"sh", "-c", `echo "no room for $TIDEMARK_SERVICE to go $TIDEMARK_DIRECTION" >&2; exit 1`},
	})
	if err != nil {
		fmt.Println(err)

		return
	}

	fmt.Println(resize.Apply(context.Background(), server.Recommendations()[0]))
	// Output: exec: exit status 1: no room for prod/orders-db to go UP
}

func ExampleNewPrint() {
	server := exampleServer()
	defer server.Close()

	for _, r := range server.Recommendations() {
		if err := agent.NewPrint(os.Stdout, false).Apply(context.Background(), r); err != nil {
			fmt.Println(err)
		}
	}
	// Output: prod/orders-db  up  1 core -> 1.5 cores, 4Gi -> 8Gi, 3 replicas  rev 1
}
