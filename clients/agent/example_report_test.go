package agent_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/tidemark-project/tidemark/clients/agent"
	"github.com/tidemark-project/tidemark/clients/tidemark"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// What the agent does is told to somebody, here to the server. Nobody who does not take reports keeps it from acting.
func ExampleReporter() {
	server := exampleServer()
	defer server.Close()

	client := server.Dial()
	defer client.Close() //nolint:errcheck // the program ends

	ctx, stop := context.WithCancel(context.Background())

	tell := reporterFunc(func(report agent.Report) error {
		defer stop() // a real agent goes on

		_, err := client.ReportScaling(context.Background(), &tidemarkv1.ReportScalingRequest{
			Service: report.Service, Revision: report.Revision, Outcome: report.Outcome, Message: report.Message,
			Agent: "my-operator",
		})

		return err
	})

	err := agent.New(agent.Config{
		Watcher:  client,
		Actuator: agent.ActuatorFunc(func(context.Context, *tidemarkv1.Recommendation) error { return nil }),
		Snapshot: agent.SnapshotOutstanding,
		Reporter: tell,
	}, slog.New(slog.DiscardHandler)).Run(ctx)

	fmt.Println(err)

	for _, r := range server.Recommendations() {
		report := r.GetScalingReport()
		fmt.Println(r.GetService(), tidemark.FormatEnum(report.GetOutcome()), "by", report.GetAgent())
	}
	// Output:
	// context canceled
	// prod/orders-db applied by my-operator
}

// An agent that may not report goes on acting. Its log says so once, and no report is brought twice.
func ExampleRefusesReports() {
	server := exampleServer()
	defer server.Close()

	client := server.Dial()
	defer client.Close() //nolint:errcheck // the program ends

	server.Put(&tidemarkv1.Recommendation{
		Service: "prod/users-db", Mode: tidemarkv1.Mode_MODE_ENFORCE, Direction: tidemarkv1.Direction_DIRECTION_UP,
		Allocation: &tidemarkv1.Size{CpuMillis: 1000}, Recommended: &tidemarkv1.Size{CpuMillis: 2000},
	})

	ctx, stop := context.WithCancel(context.Background())
	logged := &strings.Builder{}
	reports := 0

	err := agent.New(agent.Config{
		Watcher:  client,
		Actuator: agent.ActuatorFunc(func(context.Context, *tidemarkv1.Recommendation) error { return nil }),
		Snapshot: agent.SnapshotOutstanding,
		Reporter: reporterFunc(func(agent.Report) error {
			if reports++; reports == 2 {
				stop() // a real agent goes on
			}

			return agent.RefusesReports(errors.New("this agent may only read"))
		}),
	}, slog.New(slog.NewTextHandler(logged, &slog.HandlerOptions{Level: slog.LevelError}))).Run(ctx)

	fmt.Println(err)
	fmt.Println(reports, "reports,", strings.Count(logged.String(), "reports are refused"), "line in the log")
	// Output:
	// context canceled
	// 2 reports, 1 line in the log
}
