package main

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A page is printed when it is full; its columns are as wide as those before, or wider.
func TestPagedTable(t *testing.T) {
	t.Parallel()

	var out lines

	table := newPagedTable(&out, "SERVICE", "STATE", "ERROR")

	for range listPage - 1 {
		require.NoError(t, table.row("prod/größer", "waiting", "-"))
	}

	require.Empty(t, out.taken())
	require.NoError(t, table.row("a", "b", "c"))

	first := out.taken()
	require.True(t, strings.HasPrefix(first, "SERVICE      STATE    ERROR\nprod/größer  waiting  -\n"), first)
	require.True(t, strings.HasSuffix(first, "\na            b        c\n"))
	require.Equal(t, 1+listPage, strings.Count(first, "\n"))

	require.NoError(t, table.row("a", "backing off", "c"))
	require.NoError(t, table.flush())
	require.Equal(t, "a            backing off  c\n", out.taken())

	for range listPage {
		require.NoError(t, table.row("a", "b", "c"))
	}

	require.Equal(t, listPage, strings.Count(out.taken(), "\n"))
	require.NoError(t, table.flush())
	require.Empty(t, out.taken())
}

func TestPagedTableThatCannotBePrinted(t *testing.T) {
	t.Parallel()

	reader, writer := io.Pipe()
	require.NoError(t, reader.CloseWithError(errors.New("no space left")))
	require.EqualError(t, newPagedTable(writer, "SERVICE").flush(), "print: no space left")
}
