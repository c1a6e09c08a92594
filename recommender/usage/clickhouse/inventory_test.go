package clickhouse

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-project/tidemark/recommender/size"
)

func TestInventoryList(t *testing.T) {
	e := startEngine(t)
	at := noon()
	table := e.config.Names.Qualified(e.config.Names.Allocations)

	for _, row := range []string{
		"('b/two', 1000, 4, 1, {}, fromUnixTimestamp64Milli(%[2]d))",
		"('a/one', 1000, 4, 1, {'old':'yes'}, fromUnixTimestamp64Milli(%[2]d))",
		"('a/one', 2000, 8, 2, {'tier':'gold','it''s':'odd'}, fromUnixTimestamp64Milli(%[2]d + 1))",
		"('', 1, 1, 1, {}, fromUnixTimestamp64Milli(%[2]d))",
		"('nameless/', 1, 1, 1, {}, fromUnixTimestamp64Milli(%[2]d))",
		"('a/negative', -1, 1, 1, {}, fromUnixTimestamp64Milli(%[2]d))",
	} {
		e.execf("INSERT INTO %[1]s VALUES "+row, table, at.UnixMilli())
	}

	var log bytes.Buffer

	inventory := NewInventory(e.config, e.conn, slog.New(slog.NewTextHandler(&log, nil)))
	want := []Service{
		{"a/one", map[string]string{"tier": "gold", "it's": "odd"}, size.Size{CPUMillis: 2000, MemoryBytes: 8, Replicas: 2}, at.Add(time.Millisecond)},
		{"b/two", map[string]string{}, size.Size{CPUMillis: 1000, MemoryBytes: 4, Replicas: 1}, at},
	}

	for range 3 {
		got, err := inventory.List(t.Context())
		if err != nil {
			t.Fatal(err)
		}

		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}

	if inventory.Skipped() != 3 || strings.Count(log.String(), "\n") != 1 {
		t.Errorf("skipped %d, log:\n%s", inventory.Skipped(), log.String())
	}
}

func TestInventoryListFails(t *testing.T) {
	e := startEngine(t)
	e.config.Names.Allocations = "nowhere"

	_, err := NewInventory(e.config, e.conn, slog.New(slog.DiscardHandler)).List(t.Context())
	if err == nil || !strings.Contains(err.Error(), "list the inventory") {
		t.Errorf("a missing table gives %v", err)
	}
}
