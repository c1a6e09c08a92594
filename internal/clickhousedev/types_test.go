package clickhousedev_test

import (
	"errors"
	"fmt"
	"net"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/shopspring/decimal"

	"github.com/tidemark-project/tidemark/internal/clickhousetest"
)

// valuesOfTypes are values of the types that servers of today have and the conformance tests do not cover.
func valuesOfTypes() map[string]any {
	text, small := "x", uint8(3)
	at := time.Date(2026, 1, 2, 3, 4, 5, 678_000_000, time.UTC)
	return map[string]any{
		"Bool":                                      true,
		"LowCardinality(String)":                    "low",
		"LowCardinality(Nullable(String))":          &text,
		"Array(LowCardinality(String))":             []string{"a", "b", "a"},
		"Map(String, UInt64)":                       map[string]uint64{"a": 1, "b": 2},
		"Map(LowCardinality(String), Array(UInt8))": map[string][]uint8{"a": {1, 2}, "b": {}},
		"Tuple(String, UInt8)":                      []any{"a", uint8(1)},
		"Tuple(a String, b Nullable(UInt8))":        map[string]any{"a": "x", "b": &small},
		"DateTime64(3, 'UTC')":                      at,
		"DateTime('UTC')":                           at.Truncate(time.Second),
		"Date32":                                    at.Truncate(24 * time.Hour),
		"Decimal(9, 2)":                             decimal.New(12345, -2),
		"Decimal(38, 10)":                           decimal.New(-5, -10),
		"Enum16('b, )' = -1, 'a' = 1000)":           "b, )",
		"IPv4":                                      net.IPv4(10, 0, 0, 1).To4(),
		"Array(Array(Nullable(String)))":            [][]*string{{&text, nil}, {}},
		"Int16":                                     int16(-300),
		"UInt16":                                    uint16(65535),
		"Int32":                                     int32(-1 << 31),
	}
}

func TestTypes(t *testing.T) {
	conn := clickhousetest.Start(t).Open(t)
	for name, want := range valuesOfTypes() {
		t.Run(name, func(t *testing.T) {
			exec(t, conn, "DROP TABLE IF EXISTS t", "CREATE TABLE t (n UInt8, v "+name+") ENGINE = MergeTree ORDER BY n")
			err := sendBatch(t.Context(), conn, "INSERT INTO t", func(batch driver.Batch) error {
				return errors.Join(batch.Append(uint8(0), want), batch.Append(uint8(1), want), batch.Append(uint8(2), want))
			})
			if err != nil {
				t.Fatal(err)
			}
			rows, err := conn.Query(t.Context(), "SELECT v, n FROM t ORDER BY n")
			if err != nil {
				t.Fatal(err)
			}
			if got := rows.ColumnTypes()[0].DatabaseTypeName(); got != name {
				t.Errorf("type %s", got)
			}
			count := 0
			for rows.Next() {
				got := reflect.New(reflect.TypeOf(want))
				var n uint8
				if err := rows.Scan(got.Interface(), &n); err != nil {
					t.Fatal(err)
				}
				if !sameValue(got.Elem().Interface(), want) {
					t.Errorf("row %d: got %v, want %v", n, got.Elem(), want)
				}
				count++
			}
			if err := errors.Join(rows.Err(), rows.Close()); err != nil || count != 3 {
				t.Fatal(count, err)
			}
		})
	}
}

func sameValue(got, want any) bool {
	switch want := want.(type) {
	case time.Time:
		return want.Equal(got.(time.Time))
	case decimal.Decimal:
		return want.Equal(got.(decimal.Decimal))
	}
	return reflect.DeepEqual(got, want)
}

func TestLargeValues(t *testing.T) {
	conn := clickhousetest.Start(t).Open(t)
	exec(t, conn, "CREATE TABLE t (a String) ENGINE = Memory")
	large := strings.Repeat("0123456789abcdef", 1<<19)
	err := sendBatch(t.Context(), conn, "INSERT INTO t", func(batch driver.Batch) error {
		return errors.Join(batch.Append(large), batch.Append(large))
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range texts(t, conn, "SELECT a FROM t") {
		if row[0] != large {
			t.Fatalf("a string of %d bytes came back with %d", len(large), len(row[0]))
		}
	}
	list := strings.Repeat("1,", 40_000)
	if n := scan[uint64](t, conn, "SELECT toUInt64(length(["+list+"1]))"); n != 40_001 {
		t.Fatalf("a list of %d", n)
	}
	if err := conn.Exec(t.Context(), fmt.Sprintf("INSERT INTO t VALUES ('%s')", large[:1<<20])); err != nil {
		t.Fatal(err)
	}
}
