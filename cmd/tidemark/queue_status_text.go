package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/tidemark-project/tidemark/clients/tidemark"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// printQueueStatus prints what holds the queue up, and then the numbers.
func printQueueStatus(out io.Writer, status *tidemarkv1.GetQueueStatusResponse, tenant string, now time.Time) error {
	for _, line := range queueHeadlines(status, now) {
		if err := printLine(out, line); err != nil {
			return err
		}
	}

	if err := printQueueDepth(out, status, tenant, now); err != nil {
		return err
	}

	if tenant != "" {
		return nil // all else is that of the whole queue
	}

	return printQueueParts(out, status, now)
}

// queueHeadlines say at a glance how the queue does.
func queueHeadlines(status *tidemarkv1.GetQueueStatusResponse, now time.Time) []string {
	var lines []string

	if status.GetStopping() {
		lines = append(lines, "stopping: takes nothing in, finishes what runs")
	}

	for _, pause := range status.GetPauses() {
		lines = append(lines, pauseText(pause, now))
	}

	for _, dependency := range status.GetDependencies() {
		if line := dependencyText(dependency, now); line != "" {
			lines = append(lines, line)
		}
	}

	if len(lines) == 0 {
		return []string{"accepting and evaluating"}
	}

	return lines
}

// pauseText says who stopped what, since when and why: "evaluating paused by ana since 12:03 (2m): upgrade; ends in 8m".
func pauseText(p *tidemarkv1.Pause, now time.Time) string {
	end := "until it is resumed"
	if p.GetExpireTime() != nil {
		end = "ends in " + span(max(0, p.GetExpireTime().AsTime().Sub(now).Round(time.Second)))
	}

	return fmt.Sprintf("%s paused by %s since %s: %s; %s", tidemark.FormatEnum(p.GetScope()), oneLine(p.GetAuthor()),
		since(p.GetPauseTime(), now), oneLine(p.GetReason()), end)
}

// dependencyText says what evaluations wait for; nothing when they do not.
func dependencyText(d *tidemarkv1.DependencyStatus, now time.Time) string {
	why := strings.TrimPrefix(d.GetMessage(), "waiting for "+d.GetName()+": ")

	switch d.GetState() {
	case tidemarkv1.DependencyState_DEPENDENCY_STATE_UNAVAILABLE, tidemarkv1.DependencyState_DEPENDENCY_STATE_PROBING:
		return fmt.Sprintf("waiting for %s since %s: %s", d.GetName(), since(d.GetSinceTime(), now), oneLine(why))
	case tidemarkv1.DependencyState_DEPENDENCY_STATE_RECOVERING:
		return d.GetName() + " is back: what has waited is evaluated little by little"
	case tidemarkv1.DependencyState_DEPENDENCY_STATE_UNSPECIFIED, tidemarkv1.DependencyState_DEPENDENCY_STATE_AVAILABLE:
		return ""
	default: // of a newer server
		return oneLine(d.GetMessage())
	}
}

// since says when something began and how long that is: "12:03 (2m)"; with the day when that is another one.
func since(at *timestamppb.Timestamp, now time.Time) string {
	const dayAndTime, timeOnly = "2 Jan 15:04", "15:04"

	began, format := at.AsTime().In(now.Location()), timeOnly
	if began.YearDay() != now.YearDay() || began.Year() != now.Year() {
		format = dayAndTime
	}

	return fmt.Sprintf("%s (%s)", began.Format(format), span(max(0, now.Sub(began))))
}

func printQueueDepth(out io.Writer, status *tidemarkv1.GetQueueStatusResponse, tenant string, now time.Time) error {
	lines := newTable(out)
	number := func(n int64) string { return strconv.FormatInt(n, 10) }

	if tenant != "" {
		lines.row("  tenant", tenant)
	}

	failed := number(status.GetDepth().GetFailed())
	if status.GetDepth().GetFailed() > 0 {
		failed += "; \"tidemark queue failed\" says why"
	}

	lines.row("  waiting", number(status.GetDepth().GetWaiting()))
	lines.row("  running", number(status.GetDepth().GetRunning()))
	lines.row("  backing off", number(status.GetDepth().GetBackingOff()))
	lines.row("  failed", failed)
	lines.row("  oldest", ageText(status.GetOldestEnqueueTime(), now))

	if tenant != "" {
		for _, t := range status.GetTenants() { // the one
			lines.row("  per second", fmt.Sprintf("%.1f came, %.1f left, over the last minute",
				t.GetArrivalRate(), t.GetDepartureRate()))
		}
	} else {
		lines.row("  per second", fmt.Sprintf("%.1f taken in, %.1f evaluated, over the last minute",
			status.GetEnqueueRate(), status.GetEvaluationRate()))
		lines.row("  evaluations", evaluationsText(status.GetEvaluations()))
	}

	return lines.flush()
}

// evaluationsText says how evaluations ended, without what did not happen.
func evaluationsText(e *tidemarkv1.EvaluationTotals) string {
	texts := []string{fmt.Sprintf("%d succeeded", e.GetSucceeded())}

	for _, other := range []struct {
		count int64
		what  string
	}{
		{e.GetRetried(), "failed to be tried again"},
		{e.GetFailed(), "failed for good"},
		{e.GetUnavailable(), "lacked something outside"},
		{e.GetReleased(), "cut short"},
		{e.GetGaveUp(), "items given up"},
	} {
		if other.count > 0 {
			texts = append(texts, fmt.Sprintf("%d %s", other.count, other.what))
		}
	}

	return strings.Join(append(texts, "since the start"), ", ")
}
