package main

import (
	"fmt"
	"io"
	"strconv"

	"github.com/tidemark-project/tidemark/recommender/backtest"
)

// printBacktest prints a table for each recording.
func printBacktest(out io.Writer, played []playedRecording, worst bool) error {
	for i, p := range played {
		if i > 0 {
			if err := printLine(out, ""); err != nil {
				return err
			}
		}

		if err := printRecording(out, p); err != nil {
			return err
		}

		for _, result := range p.results {
			if !worst {
				break
			}

			if err := printWorst(out, result); err != nil {
				return err
			}
		}
	}

	return nil
}

func printRecording(out io.Writer, p playedRecording) error {
	first := p.results[0]

	if err := printLine(out, fmt.Sprintf("%s: %d services, %.0f service-days; they used %s core-hours and %s GiB-hours",
		p.name, first.Services, first.ServiceDays, hours(first.UsedCoreHours), hours(first.UsedGibibyteHours))); err != nil {
		return err
	}

	rows := newTable(out)
	rows.row("", "SLACK", "", "SHORT, MIN/DAY", "", "OOM PER", "RESIZES", "SCALE-DOWN", "", "GIVEN", "")
	rows.row("RECOMMENDER", "CPU", "MEMORY", "CPU", "MEMORY", "1000 DAYS", "PER DAY", "CPU", "MEMORY", "CORE-H", "GIB-H")

	for _, r := range p.results {
		rows.row(r.Recommender, percent(r.CPUSlack), percent(r.MemorySlack),
			decimal(r.CPUShortMinutes, 2), decimal(r.MemoryShortMinutes, 2), decimal(r.Kills, 0), fmt.Sprintf("%.2f", r.Resizes),
			latency(r.CPUScaleDownHours, r.CPUDescents), latency(r.MemoryScaleDownHours, r.MemoryDescents),
			hours(r.CoreHours), hours(r.GibibyteHours))
	}

	return rows.flush()
}

func printWorst(out io.Writer, result backtest.Result) error {
	if err := printLine(out, fmt.Sprintf("\nWorst under %s:", result.Recommender)); err != nil {
		return err
	}

	rows := newTable(out)
	rows.row("", "SLACK", "", "SHORT, MIN/DAY", "", "", "RESIZES")
	rows.row("SERVICE", "CPU", "MEMORY", "CPU", "MEMORY", "OOM", "PER DAY")

	for _, s := range result.Worst {
		rows.row(s.Service, percent(s.CPUSlack), percent(s.MemorySlack),
			decimal(s.CPUShortMinutes, 2), decimal(s.MemoryShortMinutes, 2), strconv.FormatInt(s.Kills, 10), fmt.Sprintf("%.2f", s.Resizes))
	}

	return rows.flush()
}

// percent shows a share; a dash when it is not known.
func percent(share *float64) string {
	if share == nil {
		return "-"
	}

	return fmt.Sprintf("%.1f%%", 100**share)
}

// decimal shows a number; a dash when it is not known.
func decimal(number *float64, digits int) string {
	if number == nil {
		return "-"
	}

	return fmt.Sprintf("%.*f", digits, *number)
}

// latency shows how soon sizes followed demand down.
func latency(inHours *float64, descents backtest.Descents) string {
	switch {
	case inHours != nil:
		return fmt.Sprintf("%.1fh", *inHours)
	case descents.Number > 0:
		return "never"
	default:
		return "-"
	}
}

func hours(amount float64) string { return fmt.Sprintf("%.0f", amount) }
