package main

import (
	"fmt"
	"io"
	"strconv"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/tidemark-project/tidemark/clients/tidemark"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// printQueueParts prints the parts of a queue by trigger and by tenant.
func printQueueParts(out io.Writer, status *tidemarkv1.GetQueueStatusResponse, now time.Time) error {
	for _, rows := range [][][]string{
		triggerRows(status.GetTriggers(), now),
		triggerTotals(status.GetTriggers()),
		tenantRows(status.GetTenants(), now),
	} {
		if err := printPart(out, rows); err != nil {
			return err
		}
	}

	return nil
}

// triggerRows are what there is now of each trigger.
func triggerRows(triggers []*tidemarkv1.TriggerStatus, now time.Time) [][]string {
	rows := make([][]string, 0, 1+len(triggers))
	rows = append(rows, partHeader("TRIGGER", "TAKEN IN/S", "STARTED/S"))

	for _, t := range triggers {
		rows = append(rows, partRow(tidemark.FormatEnum(t.GetTrigger()), triggerDepth(t), t.GetOldestEnqueueTime(), now,
			t.GetEnqueueRate(), t.GetStartRate()))
	}

	return rows
}

// triggerTotals are what has become of each trigger's wishes since the server started.
func triggerTotals(triggers []*tidemarkv1.TriggerStatus) [][]string {
	rows := make([][]string, 0, 1+len(triggers))
	rows = append(rows, []string{"TRIGGER", "QUEUED", "MERGED", "MOVED UP", "DEFERRED", "REFUSED"})

	for _, t := range triggers {
		rows = append(rows, append([]string{tidemark.FormatEnum(t.GetTrigger())}, numbers(t.GetQueuedTotal(),
			t.GetMergedTotal(), t.GetMovedUpTotal(), t.GetDeferredTotal(), t.GetRefusedTotal())...))
	}

	return rows
}

func tenantRows(tenants []*tidemarkv1.TenantStatus, now time.Time) [][]string {
	rows := make([][]string, 0, 1+len(tenants))
	rows = append(rows, partHeader("TENANT", "CAME/S", "LEFT/S"))

	for _, t := range tenants {
		rows = append(rows, partRow(t.GetTenant(), t.GetDepth(), t.GetOldestEnqueueTime(), now,
			t.GetArrivalRate(), t.GetDepartureRate()))
	}

	return rows
}

// printPart prints a table with an empty line before it, or nothing when it has but a header.
func printPart(out io.Writer, rows [][]string) error {
	if len(rows) == 1 {
		return nil
	}

	if err := printLine(out, ""); err != nil {
		return err
	}

	table := newTable(out)
	for _, row := range rows {
		table.row(row...)
	}

	return table.flush()
}

func partHeader(part, in, out string) []string {
	return []string{part, "WAITING", "RUNNING", "BACKING OFF", "FAILED", "OLDEST", in, out}
}

// partRow is one part: what it has by state, the age of the oldest, and what came in and went out a second.
func partRow(
	name string, depth *tidemarkv1.QueueDepth, oldest *timestamppb.Timestamp, now time.Time, in, out float64,
) []string {
	row := append([]string{name},
		numbers(depth.GetWaiting(), depth.GetRunning(), depth.GetBackingOff(), depth.GetFailed())...)

	return append(row, ageText(oldest, now), fmt.Sprintf("%.1f", in), fmt.Sprintf("%.1f", out))
}

// triggerDepth is a trigger's items by state, of which an older server knows only those that wait.
func triggerDepth(t *tidemarkv1.TriggerStatus) *tidemarkv1.QueueDepth {
	if t.GetDepth() == nil {
		return &tidemarkv1.QueueDepth{Waiting: t.GetWaiting()}
	}

	return t.GetDepth()
}

// ageText is the age of what came at a time, a dash for nothing.
func ageText(came *timestamppb.Timestamp, now time.Time) string {
	if came == nil {
		return orDash("")
	}

	return span(max(0, now.Sub(came.AsTime())))
}

func numbers(values ...int64) []string {
	cells := make([]string, len(values))
	for i, value := range values {
		cells[i] = strconv.FormatInt(value, 10)
	}

	return cells
}
