package main

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/tidemark-project/tidemark/clients/tidemark"
	"github.com/tidemark-project/tidemark/clients/tidemark/tidemarktest"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// clientCLI is the part of the command line that talks to a server.
type clientCLI struct {
	Agent   agentCmd   `cmd:""`
	Enqueue enqueueCmd `cmd:""`
	Get     getCmd     `cmd:""`
	List    listCmd    `cmd:""`
	Source  sourceCmd  `cmd:""`
	Watch   watchCmd   `cmd:""`
}

// lines is where a command prints; a test may look while the command runs.
type lines struct {
	mu     sync.Mutex
	buffer bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()

	return l.buffer.Write(p)
}

// taken returns what was printed since the last call.
func (l *lines) taken() string {
	l.mu.Lock()
	defer l.mu.Unlock()

	text := l.buffer.String()
	l.buffer.Reset()

	return text
}

// runClient runs a command line against a server in the process.
func runClient(ctx context.Context, server *tidemarktest.Server, out io.Writer, args ...string) error {
	var flags clientCLI

	to := []tidemark.Option{server.DialOption()}
	flags.Agent.Server.options = to
	flags.Enqueue.Server.options = to
	flags.Get.Server.options = to
	flags.List.Server.options = to
	flags.Source.Cron.Server.options = to
	flags.Watch.Server.options = to

	parser, err := kong.New(&flags)
	if err != nil {
		return err
	}

	parsed, err := parser.Parse(append(args, "--server", server.Target()))
	if err != nil {
		return err
	}

	parsed.BindTo(ctx, (*context.Context)(nil))
	parsed.BindTo(out, (*io.Writer)(nil))
	parsed.Bind(slog.New(slog.DiscardHandler))

	return parsed.Run()
}

// newServer returns a server that ends with the bubble.
func newServer(t *testing.T) *tidemarktest.Server {
	t.Helper()

	server := tidemarktest.New()
	t.Cleanup(server.Close)

	return server
}

// printedBy runs a command and returns what it prints.
func printedBy(t *testing.T, server *tidemarktest.Server, args ...string) string {
	t.Helper()

	out := &lines{}
	require.NoError(t, runClient(t.Context(), server, out, args...))

	return out.taken()
}

func orders() *tidemarkv1.Recommendation {
	at := func(before time.Duration) *timestamppb.Timestamp { return timestamppb.New(time.Now().Add(-before)) }

	return &tidemarkv1.Recommendation{
		Service:      "prod/orders-db",
		Allocation:   &tidemarkv1.Size{CpuMillis: 1000, MemoryBytes: 4 << 30, Replicas: 3},
		Recommended:  &tidemarkv1.Size{CpuMillis: 1500, MemoryBytes: 8 << 30, Replicas: 3},
		Uncapped:     &tidemarkv1.Size{CpuMillis: 1430, MemoryBytes: 7<<30 + 300<<20, Replicas: 3},
		Direction:    tidemarkv1.Direction_DIRECTION_UP,
		Mode:         tidemarkv1.Mode_MODE_ENFORCE,
		Status:       tidemarkv1.Status_STATUS_OK,
		Reasons:      []tidemarkv1.Reason{tidemarkv1.Reason_REASON_MEMORY_REJECTED, tidemarkv1.Reason_REASON_ROUNDED},
		Policy:       &tidemarkv1.PolicyRef{Name: "default", Hash: "1f3c"},
		EvaluateTime: at(12 * time.Second),
		DataTime:     at(40 * time.Second),
		ExpireTime:   at(-time.Hour),
		Triggers: []*tidemarkv1.TriggerRecord{
			{Trigger: tidemarkv1.Trigger_TRIGGER_SIGNAL, Source: "clickhouse", Detail: "memory_rejections=12", ObservedTime: at(14 * time.Second), Count: 3},
			{Trigger: tidemarkv1.Trigger_TRIGGER_PERIODIC, Source: "cron", ObservedTime: at(5 * time.Minute), Count: 1},
		},
		Explanation: &tidemarkv1.Explanation{
			Recommender: "two-window",
			Windows: []*tidemarkv1.WindowExplanation{
				{
					Name: "small", Usage: &tidemarkv1.WindowUsage{
						Length: durationpb.New(3 * time.Hour), Coverage: 1, CpuPeakMillis: 870,
						ResidentMemoryPeakBytes: 39 << 27, MemoryRejections: 12,
					},
					Need:    &tidemarkv1.Size{CpuMillis: 1430, MemoryBytes: 7<<30 + 300<<20},
					Fitted:  &tidemarkv1.Size{CpuMillis: 1500, MemoryBytes: 8 << 30},
					Verdict: tidemarkv1.Direction_DIRECTION_UP,
				},
				{Name: "large", Usage: &tidemarkv1.WindowUsage{Length: durationpb.New(30 * time.Hour)}, Empty: true},
			},
			Merges: []*tidemarkv1.MergeExplanation{{
				Scope: tidemarkv1.Resource_RESOURCE_JOINT, Large: tidemarkv1.Direction_DIRECTION_NONE,
				Small: tidemarkv1.Direction_DIRECTION_UP, Picked: tidemarkv1.WindowPick_WINDOW_PICK_LARGER,
				Hunting: &tidemarkv1.HuntingCheck{PreviousTime: at(10 * time.Minute), TrendingUp: true},
			}},
			Adjustments: []*tidemarkv1.Adjustment{
				{
					Stage: tidemarkv1.AdjustmentStage_ADJUSTMENT_STAGE_CATALOGUE, Resource: tidemarkv1.Resource_RESOURCE_CPU,
					Before: 1430, After: 1500,
				},
				{
					Stage: tidemarkv1.AdjustmentStage_ADJUSTMENT_STAGE_BOUNDS, Resource: tidemarkv1.Resource_RESOURCE_MEMORY,
					Before: 12 << 30, After: 8 << 30, Limited: true,
				},
			},
		},
	}
}
