package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark-project/tidemark/clients/tidemark"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// queueListFlags are those of commands that list items.
type queueListFlags struct {
	Tenant string `help:"Only this tenant's items."`
	Limit  int    `default:"100" placeholder:"N" help:"How many at most, ${default} when not given; 0 lists all."`

	Server serverFlags `embed:"" group:"Server"`
	Call   callFlags   `embed:""`
}

// queueListCmd lists items.
type queueListCmd struct {
	queueListFlags

	State []string `placeholder:"STATE" help:"Only items in these states: waiting, running, backing-off, failed."`
}

// Run prints the items.
func (c *queueListCmd) Run(ctx context.Context, out io.Writer, errOut errorOutput, _ *slog.Logger) error {
	states := make([]tidemarkv1.ItemState, 0, len(c.State))

	for _, word := range c.State {
		value, err := enumValue("state", tidemarkv1.ItemState_value, "ITEM_STATE_", word)
		if err != nil {
			return err
		}

		states = append(states, tidemarkv1.ItemState(value))
	}

	return c.list(ctx, out, errOut, states, itemColumns{
		titles: []string{"SERVICE", "STATE", "DUE", "CAME", "TRIGGERS", "FAILURES", "LAST ERROR"},
		cells: func(item *tidemarkv1.QueueItem, now time.Time) []string {
			return []string{
				item.GetService(), itemStateText(item, now), dueText(item, now), ago(item.GetEnqueueTime(), now),
				triggersText(item), strconv.Itoa(int(item.GetAttempts())), orDash(oneLine(item.GetLastError())),
			}
		},
	})
}

// queueFailedCmd lists what was given up.
type queueFailedCmd struct {
	queueListFlags
}

// Run prints the failed items.
func (c *queueFailedCmd) Run(ctx context.Context, out io.Writer, errOut errorOutput, _ *slog.Logger) error {
	return c.list(ctx, out, errOut, failedStates(), itemColumns{
		titles: []string{"SERVICE", "FAILURES", "CAME", "TRIGGERS", "LAST ERROR"},
		cells: func(item *tidemarkv1.QueueItem, now time.Time) []string {
			return []string{
				item.GetService(), strconv.Itoa(int(item.GetAttempts())), ago(item.GetEnqueueTime(), now),
				triggersText(item), orDash(oneLine(item.GetLastError())),
			}
		},
	})
}

func failedStates() []tidemarkv1.ItemState {
	return []tidemarkv1.ItemState{tidemarkv1.ItemState_ITEM_STATE_FAILED}
}

// itemColumns are what a list shows of an item.
type itemColumns struct {
	titles []string
	cells  func(*tidemarkv1.QueueItem, time.Time) []string
}

// list prints the items in the given states, all when there are none.
func (f *queueListFlags) list(
	ctx context.Context, out io.Writer, errOut errorOutput, states []tidemarkv1.ItemState, columns itemColumns,
) error {
	if f.Limit < 0 {
		return fmt.Errorf("--limit: %d is negative", f.Limit)
	}

	return queueCall(ctx, &f.Server, f.Call.Timeout, func(ctx context.Context, client *tidemark.Client) error {
		printed, more := 0, false

		rows := newTable(out)
		rows.row(columns.titles...)

		for item, err := range client.QueueItems(ctx, f.request(states)) {
			if err != nil {
				return err
			}

			if more = f.Limit > 0 && printed == f.Limit; more {
				break
			}

			printed++

			if !f.Call.JSON {
				rows.row(columns.cells(item, time.Now())...)
			} else if err := printJSON(out, item); err != nil {
				return err
			}
		}

		if err := f.conclude(out, rows, printed); err != nil || !more {
			return err
		}

		return printLine(errOut, "there are more: --limit=0 lists all")
	})
}

// conclude prints the table, or that there is none.
func (f *queueListFlags) conclude(out io.Writer, rows *table, printed int) error {
	switch {
	case f.Call.JSON:
		return nil
	case printed == 0:
		return printLine(out, "no items")
	default:
		return rows.flush()
	}
}

// request asks for one item more than is shown, which tells whether there are more.
func (f *queueListFlags) request(states []tidemarkv1.ItemState) *tidemarkv1.ListQueueItemsRequest {
	size := int32(listPage)
	if f.Limit > 0 && f.Limit < listPage {
		size = int32(f.Limit) + 1
	}

	return &tidemarkv1.ListQueueItemsRequest{States: states, Tenant: f.Tenant, PageSize: size}
}

// itemStateText is where an item stands: "waiting", "running for 3s".
func itemStateText(item *tidemarkv1.QueueItem, now time.Time) string {
	text := tidemark.FormatEnum(item.GetState())
	if item.GetStartTime() != nil {
		text += " for " + span(max(0, now.Sub(item.GetStartTime().AsTime())))
	}

	return text
}

// dueText is when an item is due, which one that was given up is not.
func dueText(item *tidemarkv1.QueueItem, now time.Time) string {
	if item.GetDueTime() == nil {
		return "-"
	}

	return ago(item.GetDueTime(), now)
}

// triggersText is why an item is there: "signal by clickhouse, periodic by cron".
func triggersText(item *tidemarkv1.QueueItem) string {
	texts := make([]string, 0, len(item.GetTriggers()))

	for _, trigger := range item.GetTriggers() {
		text := tidemark.FormatEnum(trigger.GetTrigger())
		if trigger.GetSource() != "" {
			text += " by " + oneLine(trigger.GetSource())
		}

		texts = append(texts, text)
	}

	return orDash(strings.Join(texts, ", "))
}
