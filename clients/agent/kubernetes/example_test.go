package kubernetes_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"

	"github.com/tidemark-project/tidemark/clients/agent"
	"github.com/tidemark-project/tidemark/clients/agent/kubernetes"
	"github.com/tidemark-project/tidemark/clients/tidemark"
)

// An agent of one's own, which tries every change and makes none.
func Example() { //nolint:testableexamples // it needs a cluster
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()

	client, err := tidemark.Dial("localhost:8433")
	if err != nil {
		panic(err)
	}
	defer client.Close() //nolint:errcheck // the process ends

	api, err := kubernetes.Connect("", "") // as kubectl finds it, or the pod's own account
	if err != nil {
		panic(err)
	}

	actuator, err := kubernetes.New(kubernetes.Config{API: api, Namespace: "databases", Name: "{tenant}-{name}", DryRun: os.Stdout})
	if err != nil {
		panic(err)
	}
	defer actuator.Close()

	config := agent.Config{Watcher: client, Actuator: actuator, Snapshot: agent.SnapshotOutstanding}
	fmt.Println(agent.New(config, slog.Default()).Run(ctx))
}
