package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// report prints the tables.
func report(to io.Writer, s *summary) error {
	const gap = 2

	out := tabwriter.NewWriter(to, 0, 0, gap, ' ', 0)
	lines := paragraphs(queueLines(s), memoryLines(s), callLines(s), barLines(s))

	if _, err := fmt.Fprintln(out, strings.Join(lines, "\n")); err != nil {
		return fmt.Errorf("print: %w", err)
	}

	if err := out.Flush(); err != nil {
		return fmt.Errorf("print: %w", err)
	}

	return nil
}

// headed is a heading with room for so many lines below it.
func headed(lines int, heading string) []string {
	return append(make([]string, 0, lines+1), heading)
}

// paragraphs puts an empty line after each part.
func paragraphs(parts ...[]string) []string {
	var lines []string
	for _, part := range parts {
		lines = append(append(lines, part...), "")
	}

	return lines
}

// queueLines show a line for each workload, size and queue.
func queueLines(s *summary) []string {
	lines := headed(len(s.Rows), "CASE\tKEYS\tQUEUE\tNS\tCPU NS\tCLOCK NS\tOURS IS\tBY CPU")

	for _, r := range s.Rows {
		lines = append(lines, fmt.Sprintf("%s\t%d\t%s\t%.0f\t%.0f\t%.0f\t%.2fx\t%.2fx",
			r.Case, r.Size, r.Queue, r.NsPerOp, r.CPUNsPerOp, r.WallNsPerOp, r.Ratio, r.CPURatio))
	}

	for _, c := range courses() {
		for _, w := range c.workloads {
			lines = append(lines, fmt.Sprintf("  %s: %s", w.name, w.about))
		}
	}

	return lines
}

func memoryLines(s *summary) []string {
	lines := headed(len(s.Footprints), "WAITING\tQUEUE\tBYTES EACH")
	for _, f := range s.Footprints {
		lines = append(lines, fmt.Sprintf("%d\t%s\t%.0f", f.Items, f.Queue, f.BytesPerItem))
	}

	return lines
}

func callLines(s *summary) []string {
	lines := headed(len(s.Rates), "CALLS\tSERVICES/S\tCPU US EACH\tOF EMPTY")

	for _, r := range s.Rates {
		share := ""
		if r.Ratio > 0 {
			share = fmt.Sprintf("%.0f%%", 100*r.Ratio)
		}

		lines = append(lines, fmt.Sprintf("%s\t%.0f\t%.1f\t%s", r.Case, r.PerSecond, r.CPUMicros, share))
	}

	return lines
}

// barLines show what bars are set on.
func barLines(s *summary) []string {
	bars := []struct {
		name  string
		value float64
		bar   string
		met   bool
	}{
		{"ratio_plain", s.RatioPlain, "<= 1.5", s.RatioPlain <= 1.5},
		{"ratio_priorityqueue", s.RatioPriorityQueue, "<= 0.5", s.RatioPriorityQueue <= 0.5},
		{"ratio_mixed_priorityqueue", s.RatioMixedPriorityQueue, "<= 0.5", s.RatioMixedPriorityQueue <= 0.5},
		{"ratio_duplicate_plain", s.RatioDuplicatePlain, "<= 1.5", s.RatioDuplicatePlain <= 1.5},
		{"ratio_duplicate_priorityqueue", s.RatioDuplicatePriorityQueue, "<= 0.5", s.RatioDuplicatePriorityQueue <= 0.5},
		{"bytes_per_item", s.BytesPerItem, "<= 250", s.BytesPerItem <= 250},
		{"growth_1k_1m", s.Growth, "<= 2", s.Growth <= 2},
		{"duplicate_ns", s.DuplicateNs, "< 1000", s.DuplicateNs < 1000},
		{"grpc_unary_ratio", s.GRPCUnaryRatio, ">= 0.8", s.GRPCUnaryRatio >= 0.8},
		{"batch_items_per_s", s.BatchItemsPerSecond, ">= 300000", s.BatchItemsPerSecond >= 300_000},
	}

	lines := headed(len(bars), "NUMBER\tVALUE\tBAR\tMET")

	for _, b := range bars {
		met := "no"
		if b.met {
			met = "yes"
		}

		lines = append(lines, fmt.Sprintf("%s\t%.4g\t%s\t%s\t%s", b.name, b.value, b.bar, met, basis[b.name]))
	}

	return lines
}
