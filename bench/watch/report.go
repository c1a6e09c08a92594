package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// summary is the result of a run.
//
//nolint:tagliatelle // as the results of all benchmarks are named
type summary struct {
	// WriterP99Ratio is by how much stalled readers slow a writer: the median of the rounds' ratios.
	WriterP99Ratio float64 `json:"writer_p99_ratio"`
	// BytesPerWatcher is what a reader takes at the end of a long run in which a tenth has stalled.
	BytesPerWatcher float64 `json:"bytes_per_watcher"`
	// EventsPerSecond is what a whole server delivers to Go clients over loopback.
	EventsPerSecond float64 `json:"events_per_s"`

	Rows       []*row       `json:"rows"`
	Footprints []*footprint `json:"footprints"`
	Rate       *rate        `json:"rate"`
}

// row is one case of the writer: medians of the rounds.
//
//nolint:tagliatelle // as the results of all benchmarks are named
type row struct {
	Case        string  `json:"case"`
	Reading     int     `json:"reading"`
	Stalled     int     `json:"stalled"`
	CommitP50Us float64 `json:"commit_p50_us"`
	CommitP99Us float64 `json:"commit_p99_us"`
	// DelayP99Us is from commit to reader.
	DelayP99Us      float64 `json:"delay_p99_us"`
	EventsPerSecond float64 `json:"events_per_s"`
	// Ratio is the 99th percentile against that of the case with nine tenths that read: the median of the rounds.
	Ratio float64 `json:"ratio"`
}

func summarise(p plan, rounds map[string][]round, prints []*footprint, r *rate) *summary {
	s := &summary{EventsPerSecond: r.PerSecond, Footprints: prints, Rate: r}

	for _, name := range []string{caseAlone, caseReading, caseStalled, caseAll} {
		size := p.crowds()[name]
		line := &row{
			Case: name, Reading: size[0], Stalled: size[1],
			CommitP50Us:     median(rounds[name], func(r round) float64 { return micros(r.median) }),
			CommitP99Us:     median(rounds[name], func(r round) float64 { return micros(r.p99) }),
			DelayP99Us:      median(rounds[name], func(r round) float64 { return micros(r.delay) }),
			EventsPerSecond: median(rounds[name], func(r round) float64 { return r.perSecond }),
			Ratio:           medianRatio(rounds[name], rounds[caseReading]),
		}

		s.Rows = append(s.Rows, line)

		if name == caseStalled {
			s.WriterP99Ratio = line.Ratio
		}
	}

	for _, f := range prints {
		if f.Case == memoryCrowd {
			s.BytesPerWatcher = f.BytesPerWatcher // the last is after the longest run
		}
	}

	return s
}

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

// medianRatio divides round by round.
func medianRatio(numerators, denominators []round) float64 {
	ratios := make([]float64, len(numerators))
	for i := range ratios {
		ratios[i] = float64(numerators[i].p99) / float64(denominators[i].p99)
	}

	return median(ratios, func(ratio float64) float64 { return ratio })
}

// median returns the middle one, or the mean of the middle two.
func median[T any](values []T, of func(T) float64) float64 {
	sorted := make([]float64, len(values))
	for i, v := range values {
		sorted[i] = of(v)
	}

	slices.Sort(sorted)

	middle := len(sorted) / 2 //nolint:mnd // the middle
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}

	return (sorted[middle-1] + sorted[middle]) / 2 //nolint:mnd // the mean
}

// report prints the tables.
func report(to io.Writer, s *summary) error {
	const gap = 2

	out := tabwriter.NewWriter(to, 0, 0, gap, ' ', 0)
	lines := slices.Concat(writerLines(s), memoryLines(s), rateLines(s), barLines(s))

	if _, err := fmt.Fprintln(out, strings.Join(lines, "\n")); err != nil {
		return fmt.Errorf("print: %w", err)
	}

	if err := out.Flush(); err != nil {
		return fmt.Errorf("print: %w", err)
	}

	return nil
}

// writerLines show a line for each case.
func writerLines(s *summary) []string {
	lines := make([]string, 0, len(s.Rows)+2) //nolint:mnd // heading and gap
	lines = append(lines, "WRITER\tREADING\tSTALLED\tCOMMIT P50 US\tP99 US\tTO READER P99 US\tEVENTS/S\tRATIO")

	for _, r := range s.Rows {
		lines = append(lines, fmt.Sprintf("%s\t%d\t%d\t%.1f\t%.1f\t%.0f\t%.0f\t%.2fx",
			r.Case, r.Reading, r.Stalled, r.CommitP50Us, r.CommitP99Us, r.DelayP99Us, r.EventsPerSecond, r.Ratio))
	}

	return append(lines, "")
}

func memoryLines(s *summary) []string {
	lines := make([]string, 0, len(s.Footprints)+2) //nolint:mnd // heading and gap
	lines = append(lines, "MEMORY\tREADERS\tAFTER CHANGES\tBYTES EACH")

	for _, f := range s.Footprints {
		lines = append(lines, fmt.Sprintf("%s\t%d\t%d\t%.0f", f.Case, f.Readers, f.Writes, f.BytesPerWatcher))
	}

	return append(lines, "")
}

func rateLines(s *summary) []string {
	return []string{
		"OVER LOOPBACK\tCLIENTS\tEVENTS\tEVENTS/S",
		fmt.Sprintf("whole server, Go client\t%d\t%d\t%.0f", s.Rate.Clients, s.Rate.Events, s.Rate.PerSecond),
		"",
	}
}

// barLines show what a bar is set on, and what is followed from run to run.
func barLines(s *summary) []string {
	const bar = 1.2

	met := "no"
	if s.WriterP99Ratio <= bar {
		met = "yes"
	}

	return []string{
		"NUMBER\tVALUE\tBAR\tMET",
		fmt.Sprintf("writer_p99_ratio\t%.3g\t<= %g\t%s", s.WriterP99Ratio, bar, met),
		fmt.Sprintf("bytes_per_watcher\t%.0f", s.BytesPerWatcher),
		fmt.Sprintf("events_per_s\t%.0f", s.EventsPerSecond),
	}
}
