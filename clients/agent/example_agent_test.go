package agent_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"

	"github.com/tidemark-project/tidemark/clients/agent"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

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

// What the server recommends is shown, one line for each change, and nothing is done about it.
func ExampleNew() {
	server := exampleServer()
	defer server.Close()

	client := server.Dial()
	defer client.Close() //nolint:errcheck // the program ends

	ctx, stop := context.WithCancel(context.Background())

	shown := agent.NewPrint(os.Stdout, false)
	show := func(ctx context.Context, r *tidemarkv1.Recommendation) error {
		defer stop() // a real agent goes on

		return shown.Apply(ctx, r)
	}

	err := agent.New(agent.Config{
		Watcher:     client,
		Actuator:    agent.ActuatorFunc(show),
		Snapshot:    agent.SnapshotAll,
		ObserveOnly: true,
	}, slog.New(slog.NewTextHandler(os.Stderr, nil))).Run(ctx)

	fmt.Println(err)
	// Output:
	// prod/orders-db  up  1 core -> 1.5 cores, 4Gi -> 8Gi, 3 replicas  rev 1
	// context canceled
}

// During a pause recommendations are kept, the newest of each service, and acted on afterwards.
func ExampleAgent_Pause() {
	server := exampleServer()
	defer server.Close()

	client := server.Dial()
	defer client.Close() //nolint:errcheck // the program ends

	ctx, stop := context.WithCancel(context.Background())

	var acting *agent.Agent

	acting = agent.New(agent.Config{
		Watcher:  client,
		Actuator: agent.ActuatorFunc(func(context.Context, *tidemarkv1.Recommendation) error { return nil }),
		Snapshot: agent.SnapshotOutstanding,
		Reporter: reporterFunc(func(report agent.Report) error {
			switch report.Outcome { //nolint:exhaustive // the others do not come here
			case tidemarkv1.ScalingOutcome_SCALING_OUTCOME_DEFERRED:
				fmt.Println("deferred:", report.Message)
				acting.Resume()
			case tidemarkv1.ScalingOutcome_SCALING_OUTCOME_APPLIED:
				fmt.Println("applied")
				stop() // a real agent goes on
			}

			return nil
		}),
	}, slog.New(slog.DiscardHandler))
	acting.Pause("the cluster is being upgraded")

	fmt.Println(acting.Run(ctx))
	// Output:
	// deferred: the agent is paused: the cluster is being upgraded
	// applied
	// context canceled
}

func ExampleAgent_Resume() {
	acting := agent.New(agent.Config{}, slog.New(slog.DiscardHandler))
	acting.Pause("maintenance")
	acting.Resume()

	fmt.Println(acting.Paused())
	// Output: false
}

func ExampleAgent_Paused() {
	acting := agent.New(agent.Config{}, slog.New(slog.DiscardHandler))
	acting.Pause("maintenance")

	fmt.Println(acting.Paused())
	// Output: true
}

// A signal or a key pauses and resumes in turn.
func ExampleAgent_TogglePause() {
	acting := agent.New(agent.Config{}, slog.New(slog.DiscardHandler))

	for range 2 {
		acting.TogglePause("SIGHUP")
		fmt.Println(acting.Paused())
	}
	// Output:
	// true
	// false
}
