package native_test

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/ClickHouse/ch-go/proto"

	"github.com/tidemark-project/tidemark/internal/clickhousedev/native"
)

// wireRevision is one with all features.
const wireRevision = proto.Version

// wireBlock encodes a block with the kinds of columns that there are, as a client does.
func wireBlock(tb testing.TB, rows int) []byte {
	tb.Helper()
	var (
		u64    proto.ColUInt64
		text   proto.ColStr
		low    = proto.NewLowCardinality[string](new(proto.ColStr))
		maybe  = proto.NewColNullable[string](new(proto.ColStr))
		list   = proto.NewArray(proto.NewLowCardinality[string](new(proto.ColStr)))
		pairs  = proto.NewMap[string, uint64](new(proto.ColStr), new(proto.ColUInt64))
		at     proto.ColDateTime
		amount proto.ColDecimal64
	)
	for i := range rows {
		u64.Append(uint64(i))
		text.Append("text"[:i%5])
		low.Append("low"[:i%4])
		maybe.Append(proto.NewNullable("maybe"[:i%6]))
		list.Append([]string{"a", "b", "a"}[:i%4])
		pairs.Append(map[string]uint64{"k": uint64(i)})
		at.Append(time.Unix(int64(i), 0))
		amount.Append(proto.Decimal64(i))
	}
	input := proto.Input{
		{Name: "u64", Data: &u64},
		{Name: "text", Data: &text},
		{Name: "low", Data: low},
		{Name: "maybe", Data: maybe},
		{Name: "list", Data: list},
		{Name: "pairs", Data: pairs},
		{Name: "at", Data: &at},
		{Name: "amount", Data: proto.Alias(&amount, "Decimal(18, 4)")},
	}
	var b proto.Buffer
	block := proto.Block{Info: proto.BlockInfo{BucketNum: -1}, Columns: len(input), Rows: rows}
	if err := block.EncodeBlock(&b, wireRevision, input); err != nil {
		tb.Fatal(err)
	}
	return b.Buf
}

func TestFramingRoundTrip(t *testing.T) {
	for _, rows := range []int{0, 1, 100} {
		wire := wireBlock(t, rows)
		toFile := native.Framing{From: wireRevision, To: native.FileRevision}
		file, head, err := toFile.Append(nil, bytes.NewReader(wire))
		if err != nil {
			t.Fatal(err)
		}
		if head.Rows != rows || len(head.Columns) != 8 || head.Columns[2].Type != "LowCardinality(String)" || head.End() {
			t.Fatalf("head %+v", head)
		}
		if len(file) >= len(wire) {
			t.Fatalf("the file's block has %d bytes, the wire's %d", len(file), len(wire))
		}
		toWire := native.Framing{From: native.FileRevision, To: wireRevision}
		src := bytes.NewReader(file)
		back, _, err := toWire.Append([]byte("before"), src)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(back, append([]byte("before"), wire...)) {
			t.Fatal("a block has changed on the way to a file and back")
		}
		if _, _, err := toWire.Append(nil, src); !errors.Is(err, io.EOF) {
			t.Fatalf("at the end: %v", err)
		}
	}
}

func TestFramingCut(t *testing.T) {
	wire := wireBlock(t, 3)
	framing := native.Framing{From: wireRevision}
	for n := range wire {
		if _, _, err := framing.Append(nil, bytes.NewReader(wire[:n])); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Fatalf("block cut after %d bytes of %d: %v", n, len(wire), err)
		}
	}
}

func TestFramingLimit(t *testing.T) {
	framing := native.Framing{From: wireRevision, Limit: 50}
	if _, _, err := framing.Append(nil, bytes.NewReader(wireBlock(t, 100))); !errors.Is(err, native.ErrTooLarge) {
		t.Fatalf("a block over the limit: %v", err)
	}
}

func TestFramingTypes(t *testing.T) {
	bare := native.AppendHeader(nil, []native.Column{{"a", "DateTime"}, {"b", "Array(DateTime)"}, {"c", "UInt8"}}, native.FileRevision)
	framing := native.Framing{To: native.FileRevision, Types: []native.Column{
		{"a", "DateTime('Asia/Tokyo')"}, {"b", "Array(DateTime('UTC'))"}, {"c", "UInt16"},
	}}
	_, head, err := framing.Append(nil, bytes.NewReader(bare))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"DateTime('Asia/Tokyo')", "Array(DateTime('UTC'))", "UInt8"}
	for i, column := range head.Columns {
		if column.Type != want[i] {
			t.Errorf("column %d has type %s, want %s", i, column.Type, want[i])
		}
	}
}

func FuzzFraming(f *testing.F) {
	f.Add(wireBlock(f, 2))
	f.Add(wireBlock(f, 0))
	f.Add([]byte{0, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f, 1, 'a', 6, 'S', 't', 'r', 'i', 'n', 'g', 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		const limit = 1 << 20
		toFile := native.Framing{From: wireRevision, To: native.FileRevision, Limit: limit}
		file, head, err := toFile.Append(nil, bytes.NewReader(data))
		if err != nil {
			return
		}
		toWire := native.Framing{From: native.FileRevision, To: wireRevision, Limit: 2 * limit}
		wire, again, err := toWire.Append(nil, bytes.NewReader(file))
		if err != nil || again.Rows != head.Rows || len(again.Columns) != len(head.Columns) {
			t.Fatalf("a block that was read once cannot be read again: %v, %+v, %+v", err, head, again)
		}
		file2, _, err := toFile.Append(nil, bytes.NewReader(wire))
		if err != nil || !bytes.Equal(file, file2) {
			t.Fatalf("a block changes when it is framed anew: %v", err)
		}
	})
}
