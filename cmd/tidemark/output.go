package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/tidemark-project/tidemark/clients/tidemark"
)

// printJSON prints a message as one line.
func printJSON(out io.Writer, message proto.Message) error {
	line, err := tidemark.MarshalJSON(message)
	if err != nil {
		return err
	}

	return printLine(out, string(line))
}

// printLine prints one line in one write.
func printLine(out io.Writer, line string) error {
	if _, err := io.WriteString(out, line+"\n"); err != nil {
		return fmt.Errorf("print: %w", err)
	}

	return nil
}

// table prints rows in columns.
type table struct {
	writer *tabwriter.Writer
}

func newTable(out io.Writer) *table {
	const gap = 2

	return &table{tabwriter.NewWriter(out, 0, 0, gap, ' ', 0)}
}

// row adds a row; nothing is printed before flush.
func (t *table) row(cells ...string) {
	fmt.Fprintln(t.writer, strings.Join(cells, "\t")) //nolint:errcheck // flush tells
}

func (t *table) flush() error {
	if err := t.writer.Flush(); err != nil {
		return fmt.Errorf("print: %w", err)
	}

	return nil
}

// orDash is the text, or a dash where a column would be empty.
func orDash(text string) string {
	if text == "" {
		return "-"
	}

	return text
}

// ago says how long ago a time was: "12s ago", "3h ago"; "never" for none, "in 5m" for one to come.
func ago(at *timestamppb.Timestamp, now time.Time) string {
	if at == nil {
		return "never"
	}

	since := now.Sub(at.AsTime())
	if since < 0 {
		return "in " + span(-since)
	}

	return span(since) + " ago"
}

// span shows a duration by its largest unit, which is enough to judge it by.
func span(d time.Duration) string {
	const day = 24 * time.Hour

	switch {
	case d >= 2*day:
		return fmt.Sprintf("%dd", d/day)
	case d >= 2*time.Hour:
		return fmt.Sprintf("%dh", d/time.Hour)
	case d >= 2*time.Minute:
		return fmt.Sprintf("%dm", d/time.Minute)
	default:
		return fmt.Sprintf("%ds", d/time.Second)
	}
}
