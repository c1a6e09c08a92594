package main

import (
	"context"
	"errors"
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
	Call   callsFlags  `embed:""`
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

// list prints the items in the given states, all when there are none: those of a page as soon as it is there.
func (f *queueListFlags) list(
	ctx context.Context, out io.Writer, errOut errorOutput, states []tidemarkv1.ItemState, columns itemColumns,
) error {
	if f.Limit < 0 {
		return fmt.Errorf("--limit: %d is negative", f.Limit)
	}

	client, err := f.Call.dial(&f.Server)
	if err != nil {
		return err
	}
	defer client.Close() //nolint:errcheck // the process ends

	printed, more := 0, false
	rows := newPagedTable(out, columns.titles...)

	for item, err := range client.QueueItems(ctx, f.request(states)) {
		if err != nil {
			return f.breakOff(out, rows, printed, err)
		}

		if more = f.Limit > 0 && printed == f.Limit; more {
			break
		}

		printed++

		if err := f.print(out, rows, item, columns); err != nil {
			return err
		}
	}

	if err := f.conclude(out, rows, printed); err != nil || !more {
		return err
	}

	return printLine(errOut, "there are more: --limit=0 lists all")
}

// print prints an item, or adds its row to the page.
func (f *queueListFlags) print(out io.Writer, rows *pagedTable, item *tidemarkv1.QueueItem, columns itemColumns) error {
	if f.Call.JSON {
		return printJSON(out, item)
	}

	return rows.row(columns.cells(item, time.Now())...)
}

// breakOff ends a list for an error. What was listed until then is printed, and said not to be all.
func (f *queueListFlags) breakOff(out io.Writer, rows *pagedTable, printed int, err error) error {
	err = f.Server.explain(err)

	if printed == 0 {
		return err
	}

	return errors.Join(f.conclude(out, rows, printed), fmt.Errorf("the list ends early, after %d items: %w", printed, err))
}

// conclude prints the rest of the table, or that there is nothing.
func (f *queueListFlags) conclude(out io.Writer, rows *pagedTable, printed int) error {
	switch {
	case f.Call.JSON:
		return nil
	case printed == 0:
		return printLine(out, "no items")
	default:
		return rows.flush()
	}
}

// request asks for one item more than is shown, which tells whether there are more, and for pages as large as the server
// makes them when that is more than one.
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

	if wait := item.GetDueTime().AsTime().Sub(now); wait > 0 {
		return "in " + span(rounded(wait))
	}

	return ago(item.GetDueTime(), now)
}

// rounded is a time to come, rounded to the unit that span shows: 4m59s are 5m, and not 4m.
func rounded(d time.Duration) time.Duration {
	const day = 24 * time.Hour

	for _, unit := range []time.Duration{day, time.Hour, time.Minute} {
		if d >= 2*unit {
			return d.Round(unit)
		}
	}

	return d.Round(time.Second)
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
