package agent_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"

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
