package main

import (
	"context"
	"io"
	"log/slog"
	"testing"
	"time"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/tidemark-project/tidemark/clients/tidemark"
	"github.com/tidemark-project/tidemark/clients/tidemark/tidemarktest"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// queueLine is what "tidemark queue" printed.
type queueLine struct {
	out, errOut lines
}

// inProcess is a server in the process.
type inProcess interface {
	DialOption() tidemark.Option
	Target() string
}

// run runs "tidemark queue" against a server in the process.
func (l *queueLine) run(ctx context.Context, server inProcess, args ...string) error {
	var flags struct {
		Queue queueCmd `cmd:""`
	}

	to, q := []tidemark.Option{server.DialOption()}, &flags.Queue
	for _, f := range []*serverFlags{
		&q.Status.Server, &q.List.Server, &q.Failed.Server, &q.Retry.Server, &q.Cancel.Server, &q.Pause.Server, &q.Resume.Server,
	} {
		f.options = to
	}

	parser, err := kong.New(&flags)
	if err != nil {
		return err
	}

	parsed, err := parser.Parse(append(append([]string{"queue"}, args...), "--server", server.Target()))
	if err != nil {
		return err
	}

	parsed.BindTo(ctx, (*context.Context)(nil))
	parsed.BindTo(&l.out, (*io.Writer)(nil))
	parsed.Bind(errorOutput{&l.errOut})
	parsed.Bind(slog.New(slog.NewTextHandler(&l.errOut, nil)))

	return parsed.Run()
}

// queuePrinted returns what "tidemark queue" prints.
func queuePrinted(t *testing.T, server *tidemarktest.Server, args ...string) string {
	t.Helper()

	var line queueLine

	require.NoError(t, line.run(t.Context(), server, args...))
	require.Empty(t, line.errOut.taken())

	return line.out.taken()
}

// earlier is a time so long ago, and later one to come.
func earlier(d time.Duration) *timestamppb.Timestamp { return timestamppb.New(time.Now().Add(-d)) }

func later(d time.Duration) *timestamppb.Timestamp { return timestamppb.New(time.Now().Add(d)) }

// queueItems are one item in each state.
func queueItems() []*tidemarkv1.QueueItem {
	bySignal := &tidemarkv1.TriggerRecord{Trigger: tidemarkv1.Trigger_TRIGGER_SIGNAL, Source: "clickhouse", Count: 3}
	byCron := &tidemarkv1.TriggerRecord{Trigger: tidemarkv1.Trigger_TRIGGER_PERIODIC, Source: "cron", Count: 1}
	byHand := &tidemarkv1.TriggerRecord{Trigger: tidemarkv1.Trigger_TRIGGER_MANUAL, Count: 1}

	return []*tidemarkv1.QueueItem{
		{
			Service: "prod/orders-db", State: tidemarkv1.ItemState_ITEM_STATE_RUNNING,
			Triggers: []*tidemarkv1.TriggerRecord{bySignal, byCron}, DueTime: earlier(4 * time.Second),
			EnqueueTime: earlier(4 * time.Second), StartTime: earlier(3 * time.Second),
		},
		{
			Service: "prod/users-db", State: tidemarkv1.ItemState_ITEM_STATE_BACKING_OFF,
			Triggers: []*tidemarkv1.TriggerRecord{byCron}, DueTime: later(42 * time.Second),
			EnqueueTime: earlier(3 * time.Minute), Attempts: 2, LastError: "usage store:\n\ttimeout\x1b[31m",
		},
		{
			Service: "dev/batch-7", State: tidemarkv1.ItemState_ITEM_STATE_WAITING,
			Triggers: []*tidemarkv1.TriggerRecord{byHand}, DueTime: later(5 * time.Minute), EnqueueTime: earlier(0),
		},
		{
			Service: "prod/gone-db", State: tidemarkv1.ItemState_ITEM_STATE_FAILED,
			Triggers: []*tidemarkv1.TriggerRecord{byCron}, EnqueueTime: earlier(3 * time.Hour), Attempts: 6,
			LastError: "no policy matches",
		},
	}
}
