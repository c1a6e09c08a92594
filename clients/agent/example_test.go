package agent_test

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/tidemark-project/tidemark/clients/agent"
	"github.com/tidemark-project/tidemark/clients/tidemark"
	"github.com/tidemark-project/tidemark/clients/tidemark/tidemarktest"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// exampleServer is a server that lives in the process, where one service should be larger.
func exampleServer() *tidemarktest.Server {
	server := tidemarktest.New()
	server.Put(exampleRecommendation())

	return server
}

// exampleRecommendation is what it says of the service.
func exampleRecommendation() *tidemarkv1.Recommendation {
	return &tidemarkv1.Recommendation{
		Service:     "prod/orders-db",
		Revision:    1,
		Allocation:  &tidemarkv1.Size{CpuMillis: 1000, MemoryBytes: 4 << 30, Replicas: 3},
		Recommended: &tidemarkv1.Size{CpuMillis: 1500, MemoryBytes: 8 << 30, Replicas: 3},
		Direction:   tidemarkv1.Direction_DIRECTION_UP,
		Mode:        tidemarkv1.Mode_MODE_ENFORCE,
		Status:      tidemarkv1.Status_STATUS_OK,
	}
}

// reporterFunc makes a Reporter of a function.
type reporterFunc func(report agent.Report) error

// ReportScaling implements agent.Reporter.
func (f reporterFunc) ReportScaling(_ context.Context, report agent.Report) error { return f(report) }

// actWith runs an agent with an actuator until the change is applied or refused, and shows what it reports.
func actWith(actuator agent.Actuator) {
	server := exampleServer()
	defer server.Close()

	client := server.Dial()
	defer client.Close() //nolint:errcheck // the program ends

	ctx, stop := context.WithCancel(context.Background())

	//nolint:errcheck // it ends because it is stopped
	agent.New(agent.Config{
		Watcher:       client,
		Actuator:      actuator,
		Snapshot:      agent.SnapshotOutstanding,
		MinRetryDelay: time.Millisecond,
		Reporter: reporterFunc(func(report agent.Report) error {
			now := ""
			if report.Allocation != nil {
				now = ", now " + tidemark.FormatSize(report.Allocation)
			}

			//nolint:forbidigo // the examples that call this show it
			fmt.Println(report.Service, tidemark.FormatEnum(report.Outcome)+now, report.Message)

			switch report.Outcome {
			case tidemarkv1.ScalingOutcome_SCALING_OUTCOME_FAILED, tidemarkv1.ScalingOutcome_SCALING_OUTCOME_DEFERRED:
			default:
				stop() // a real agent goes on
			}

			return nil
		}),
	}, slog.New(slog.DiscardHandler)).Run(ctx)
}
