package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// tally counts for each recording how many points of the Vertical Pod Autoscaler's sweep are dominated by one of ours or
// more, for either resource; and by how many of ours that also change sizes less often.
func tally(to io.Writer, rows []*row) error {
	const gap = 2

	out := tabwriter.NewWriter(to, 0, 0, gap, ' ', 0)
	lines := []string{
		"\nPOINTS OF VPA THAT OURS DOMINATE",
		"\tCPU\t\tMEMORY\t",
		"SOURCE\tSLACK, TOO LITTLE\tAND FEWER RESIZES\tSLACK, TOO LITTLE\tAND FEWER RESIZES",
	}

	for len(rows) > 0 {
		end := 1
		for end < len(rows) && rows[end].Source == rows[0].Source {
			end++
		}

		lines = append(lines, strings.Join([]string{
			rows[0].Source,
			dominated(rows[:end], (*row).cpu, func(d *dominance) []string { return d.CPU }),
			dominated(rows[:end], (*row).cpu, func(d *dominance) []string { return d.CPUCalm }),
			dominated(rows[:end], (*row).memory, func(d *dominance) []string { return d.Memory }),
			dominated(rows[:end], (*row).memory, func(d *dominance) []string { return d.MemoryCalm }),
		}, "\t"))
		rows = rows[end:]
	}

	if _, err := fmt.Fprintln(out, strings.Join(lines, "\n")); err != nil {
		return fmt.Errorf("print: %w", err)
	}

	if err := out.Flush(); err != nil {
		return fmt.Errorf("print: %w", err)
	}

	return nil
}

// dominated counts the points that any of ours dominates, of those with numbers of the resource.
func dominated(rows []*row, numbers func(*row) []float64, by func(*dominance) []string) string {
	count, all := 0, 0

	for _, r := range rows {
		if r.Recommender != vpaKind || len(numbers(r)) == 0 {
			continue
		}

		all++

		if len(by(r.DominatedBy)) > 0 {
			count++
		}
	}

	if all == 0 {
		return "-"
	}

	return fmt.Sprintf("%d of %d", count, all)
}
