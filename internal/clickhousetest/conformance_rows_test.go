package clickhousetest_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/google/uuid"
)

// sample is a row of each type that all peers know.
type sample struct {
	U8       uint8     `ch:"u8"`
	U64      uint64    `ch:"u64"`
	I8       int8      `ch:"i8"`
	I64      int64     `ch:"i64"`
	F32      float32   `ch:"f32"`
	F64      float64   `ch:"f64"`
	Text     string    `ch:"text"`
	Fixed    string    `ch:"fixed"`
	Day      time.Time `ch:"day"`
	At       time.Time `ch:"at"`
	ID       uuid.UUID `ch:"id"`
	Kind     string    `ch:"kind"`
	Maybe    *string   `ch:"maybe"`
	List     []uint32  `ch:"list"`
	Nested   [][]int16 `ch:"nested"`
	Optional []*uint8  `ch:"optional"`
}

const sampleColumns = `u8 UInt8, u64 UInt64, i8 Int8, i64 Int64, f32 Float32, f64 Float64, text String,
	fixed FixedString(4), day Date, at DateTime, id UUID, kind Enum8('up' = 1, 'down' = -2),
	maybe Nullable(String), list Array(UInt32), nested Array(Array(Int16)), optional Array(Nullable(UInt8))`

const sampleNames = "u8, u64, i8, i64, f32, f64, text, fixed, day, at, id, kind, maybe, list, nested, optional"

func samples() []sample {
	full, seven := "full", uint8(7)
	day := time.Date(2026, 3, 4, 0, 0, 0, 0, time.UTC)
	return []sample{
		{
			U8: 255, U64: 1<<64 - 1, I8: -128, I64: -1 << 63, F32: 1.5, F64: -2.25, Text: "ключ\x00'\"\\\n",
			Fixed: "abcd", Day: day, At: day.Add(5 * time.Hour), ID: uuid.MustParse("00112233-4455-6677-8899-aabbccddeeff"),
			Kind: "down", Maybe: &full, List: []uint32{1, 2, 3}, Nested: [][]int16{{1, -1}, {}, {2}},
			Optional: []*uint8{nil, &seven},
		},
		{
			Fixed: "\x00\x00\x00\x00", Day: time.Unix(0, 0).UTC(), At: time.Unix(0, 0).UTC(), Kind: "up",
			List: []uint32{}, Nested: [][]int16{}, Optional: []*uint8{},
		},
	}
}

func testTypes(t *testing.T, _ peer, options *clickhouse.Options) {
	t.Helper()
	conn := connect(t, options)
	exec(t, conn, "DROP TABLE IF EXISTS sample", "CREATE TABLE sample ("+sampleColumns+") ENGINE = Memory")
	want := samples()
	err := sendBatch(t.Context(), conn, "INSERT INTO sample ("+sampleNames+")", func(batch driver.Batch) error {
		return errors.Join(batch.AppendStruct(&want[0]), batch.AppendStruct(&want[1]))
	})
	if err != nil {
		t.Fatal(err)
	}
	var got []sample
	if err := conn.Select(t.Context(), &got, "SELECT "+sampleNames+" FROM sample ORDER BY u8 DESC"); err != nil {
		t.Fatal(err)
	}
	for i := range got {
		got[i].Day, got[i].At = got[i].Day.UTC(), got[i].At.UTC()
	}
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("got\n%+v\nwant\n%+v", got, want)
	}
}

func testEmpty(t *testing.T, _ peer, options *clickhouse.Options) {
	t.Helper()
	conn := connect(t, options)
	rows, err := conn.Query(t.Context(), "SELECT number AS n, toString(number) AS s, now() AS at FROM system.numbers WHERE 0 LIMIT 1")
	if err != nil {
		t.Fatal(err)
	}
	types := make([]string, len(rows.ColumnTypes()))
	for i, column := range rows.ColumnTypes() {
		types[i] = column.DatabaseTypeName()
	}
	if !slices.Equal(rows.Columns(), []string{"n", "s", "at"}) || !slices.Equal(types, []string{"UInt64", "String", "DateTime"}) {
		t.Fatalf("columns %v of types %v", rows.Columns(), types)
	}
	if rows.Next() {
		t.Fatal("a row")
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	if err := rows.Close(); err != nil {
		t.Fatal(err)
	}
}

func testLarge(t *testing.T, _ peer, options *clickhouse.Options) {
	t.Helper()
	conn := connect(t, options)
	const n = 300_000
	rows, err := conn.Query(t.Context(), fmt.Sprintf("SELECT number, toString(number) FROM system.numbers LIMIT %d", n))
	if err != nil {
		t.Fatal(err)
	}
	var sum, count uint64
	for rows.Next() {
		var number uint64
		var text string
		if err := rows.Scan(&number, &text); err != nil {
			t.Fatal(err)
		}
		sum += number
		count++
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	if err := rows.Close(); err != nil {
		t.Fatal(err)
	}
	if count != n || sum != n*(n-1)/2 {
		t.Fatalf("%d rows with sum %d", count, sum)
	}
}
