package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// report prints the table of one recording.
func report(to io.Writer, name string, rows []*row) error {
	const gap = 2

	first := rows[0]
	out := tabwriter.NewWriter(to, 0, 0, gap, ' ', 0)

	const heading = 3

	lines := append(make([]string, 0, heading+len(rows)),
		fmt.Sprintf("\n%s: %d services, %.0f service-days", name, first.Services, first.ServiceDays),
		"\tSLACK\t\tTOO LITTLE, MIN/DAY\t\tRESIZES\tOOM PER\tDOMINATED BY OURS IN",
		"RECOMMENDER\tCPU\tMEMORY\tCPU\tMEMORY\tPER DAY\t1000 DAYS\tCPU\tMEMORY\tALL",
	)

	for _, r := range rows {
		lines = append(lines, strings.Join([]string{
			r.label(), percent(r.CPUSlack), percent(r.MemorySlack), number(r.CPUShortMinutes), number(r.MemoryShortMinutes),
			fmt.Sprintf("%.2f", r.Resizes), number(r.Kills), r.verdicts(),
		}, "\t"))
	}

	if _, err := fmt.Fprintln(out, strings.Join(lines, "\n")); err != nil {
		return fmt.Errorf("print: %w", err)
	}

	if err := out.Flush(); err != nil {
		return fmt.Errorf("print: %w", err)
	}

	return nil
}

func (r *row) label() string {
	if r.Name == vpa(usualPercentile, margin).Name {
		return r.Name + " (default)"
	}

	return r.Name
}

// verdicts names one of ours for each comparison, and how many more there are.
func (r *row) verdicts() string {
	if r.DominatedBy == nil {
		return ""
	}

	verdict := func(by []string) string {
		switch len(by) {
		case 0:
			return "no"
		case 1:
			return by[0]
		default:
			return fmt.Sprintf("%s +%d", by[0], len(by)-1)
		}
	}

	return strings.Join([]string{verdict(r.DominatedBy.CPU), verdict(r.DominatedBy.Memory), verdict(r.DominatedBy.All)}, "\t")
}

func percent(share *float64) string {
	if share == nil {
		return "-"
	}

	return fmt.Sprintf("%.1f%%", 100**share)
}

func number(value *float64) string {
	if value == nil {
		return "-"
	}

	return fmt.Sprintf("%.2f", *value)
}
