package main

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// pagedTable prints rows in columns, a page at a time, so that the first of a million rows are seen, and not held, while
// the rest is on its way. A column is as wide as the widest cell so far.
type pagedTable struct {
	out    io.Writer
	widths []int
	page   [][]string
}

// newPagedTable returns a table that begins with its titles.
func newPagedTable(out io.Writer, titles ...string) *pagedTable {
	return &pagedTable{out: out, widths: make([]int, len(titles)), page: [][]string{titles}}
}

// row adds a row of as many cells as there are titles, and prints the page when the row fills it.
func (t *pagedTable) row(cells ...string) error {
	t.page = append(t.page, cells)

	// The first page of the table has the titles, too: with them it ends where the server's page does.
	full := listPage
	if t.widths[0] == 0 {
		full++
	}

	if len(t.page) < full {
		return nil
	}

	return t.flush()
}

// flush prints the rows that have not been.
func (t *pagedTable) flush() error {
	const gap = 2

	for _, cells := range t.page {
		for i, cell := range cells {
			t.widths[i] = max(t.widths[i], utf8.RuneCountInString(cell))
		}
	}

	var text strings.Builder

	for _, cells := range t.page {
		last := len(cells) - 1
		for i, cell := range cells[:last] {
			fmt.Fprintf(&text, "%-*s", t.widths[i]+gap, cell)
		}

		text.WriteString(cells[last] + "\n")
	}

	t.page = t.page[:0]

	if _, err := io.WriteString(t.out, text.String()); err != nil {
		return fmt.Errorf("print: %w", err)
	}

	return nil
}
