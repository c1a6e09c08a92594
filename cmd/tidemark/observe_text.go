package main

import (
	"fmt"
	"io"
	"math"
	"strconv"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// printObserveReport prints the whole first, then the services.
func printObserveReport(out io.Writer, report *tidemarkv1.GetObserveReportResponse) error {
	period := span(report.GetEndTime().AsTime().Sub(report.GetStartTime().AsTime()))
	if report.GetServiceCount() == 0 {
		return printLine(out, "nothing was observed in the last "+period+
			": no policy that was asked about observes, or the server has just started")
	}

	total := report.GetTotal()
	headline := fmt.Sprintf("%d services were observed in the last %s; their size was the recommended one %s of the time",
		report.GetServiceCount(), period, agreed(total))

	if err := printLine(out, headline); err != nil {
		return err
	}

	lines := newTable(out)
	lines.row("  CPU", wouldHave(total.GetSavedCoreHours(), total.GetAddedCoreHours(), "core-hours"))
	lines.row("  memory", wouldHave(total.GetSavedGibHours(), total.GetAddedGibHours(), "GiB-hours"))
	lines.row("  growing", movesText(total.GetUp()))
	lines.row("  shrinking", movesText(total.GetDown()))

	if err := lines.flush(); err != nil {
		return err
	}

	rows := newTable(out)
	rows.row("SERVICE", "AGREED", "CORE-HOURS", "GIB-HOURS", "SOONER UP", "SOONER DOWN")

	for _, s := range report.GetServices() {
		rows.row(s.GetService(), agreed(s),
			netHours(s.GetSavedCoreHours(), s.GetAddedCoreHours()), netHours(s.GetSavedGibHours(), s.GetAddedGibHours()),
			sooner(s.GetUp()), sooner(s.GetDown()))
	}

	return rows.flush()
}

// agreed is the share of time in which the size in force was the recommended one.
func agreed(o *tidemarkv1.Observation) string {
	share := o.GetAgreedDuration().AsDuration().Seconds() / o.GetObservedDuration().AsDuration().Seconds()

	return fmt.Sprintf("%.0f %%", 100*share)
}

// wouldHave says what the recommendations would have been worth: "would have saved 120 core-hours and added 3".
func wouldHave(saved, added float64, unit string) string {
	return fmt.Sprintf("would have saved %s %s and added %s", resourceHours(saved), unit, resourceHours(added))
}

// netHours is what is left of both: "-117" for less use.
func netHours(saved, added float64) string {
	switch difference := added - saved; {
	case math.Abs(difference) < 0.05:
		return "0"
	case difference > 0:
		return "+" + resourceHours(difference)
	default:
		return "-" + resourceHours(-difference)
	}
}

// resourceHours shows a number of core-hours or GiB-hours with one decimal where that matters.
func resourceHours(x float64) string {
	if x >= 100 {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}

	return strconv.FormatFloat(math.Round(10*x)/10, 'f', -1, 64)
}

// movesText says how advice and changes went together.
func movesText(m *tidemarkv1.ObservedMoves) string {
	text := fmt.Sprintf("%d changes were recommended before they were made", m.GetAdvisedCount())
	if m.GetMedianLead() != nil {
		text += ", in the median " + span(m.GetMedianLead().AsDuration()) + " sooner"
	}

	return text + fmt.Sprintf("; %d were made without, %d were recommended and not made",
		m.GetUnadvisedCount(), m.GetWithdrawnCount())
}

func sooner(m *tidemarkv1.ObservedMoves) string {
	if m.GetMedianLead() == nil {
		return "-"
	}

	return span(m.GetMedianLead().AsDuration())
}
