package wire_test

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"testing"

	"github.com/ClickHouse/ch-go/compress"
	"github.com/ClickHouse/ch-go/proto"
	"go.opentelemetry.io/otel/trace"

	"github.com/tidemark-project/tidemark/internal/clickhousedev/wire"
)

func reader(b []byte) *wire.Reader { return wire.NewReader(bytes.NewReader(b)) }

func TestHello(t *testing.T) {
	var b proto.Buffer
	proto.ClientHello{Name: "n", ProtocolVersion: 54460, Database: "d", User: "u", Password: "p"}.Encode(&b)
	r := reader(b.Buf[1:])
	got, err := r.Hello()
	if err != nil {
		t.Fatal(err)
	}
	want := wire.Hello{ClientName: "n", Revision: 54460, Database: "d", User: "u", Password: "p"}
	if got != want {
		t.Fatalf("got %+v", got)
	}
	wantEnd(t, r)
}

// query encodes a query as ch-go's client does, without the code of the packet.
func query(revision int) []byte {
	var b proto.Buffer
	proto.Query{
		ID: "id", Body: "SELECT {x:UInt8}", Compression: proto.CompressionEnabled, Secret: "s",
		Info: proto.ClientInfo{
			Query: proto.ClientQueryInitial, Interface: proto.InterfaceTCP, ProtocolVersion: revision, QuotaKey: "k",
			Span: trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{1}, SpanID: trace.SpanID{2}}),
		},
		Settings:   []proto.Setting{{Key: "a", Value: "1", Important: true}, {Key: "b", Value: "'c'", Custom: true}},
		Parameters: []proto.Parameter{{Key: "x", Value: "'7'"}},
	}.EncodeAware(&b, revision)
	return b.Buf[1:]
}

func TestQuery(t *testing.T) {
	for _, f := range proto.FeatureValues() {
		revision := f.Version()
		if !proto.FeatureSettingsSerializedAsStrings.In(revision) || revision > proto.Version {
			continue
		}
		r := reader(query(revision))
		got, err := r.Query(revision)
		if err != nil {
			t.Fatalf("%v: %v", f, err)
		}
		want := wire.Query{
			ID: "id", Text: "SELECT {x:UInt8}", Compressed: true,
			Settings: []wire.Setting{{Name: "a", Value: "1", Important: true}, {Name: "b", Value: "'c'", Custom: true}},
		}
		if proto.FeatureParameters.In(revision) {
			want.Parameters = []wire.Setting{{Name: "x", Value: "'7'", Custom: true}}
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%v: got %+v", f, got)
		}
		wantEnd(t, r)
	}
}

func TestQueryCut(t *testing.T) {
	whole := query(proto.Version)
	for n := range whole {
		if _, err := reader(whole[:n]).Query(proto.Version); err == nil {
			t.Fatalf("a query cut after %d bytes was read", n)
		}
	}
}

func TestLongString(t *testing.T) {
	var b proto.Buffer
	b.PutUVarInt(1 << 62)
	if _, err := reader(b.Buf).String(1 << 20); !errors.Is(err, wire.ErrLimit) {
		t.Fatalf("a string of 2^62 bytes: %v", err)
	}
	b.Reset()
	b.PutUVarInt(1 << 29)
	if _, err := reader(b.Buf).String(1 << 30); !errors.Is(err, io.EOF) {
		t.Fatalf("a string that does not come: %v", err)
	}
}

func TestCompressed(t *testing.T) {
	w := compress.NewWriter(compress.LevelZero, compress.LZ4)
	stream := make([]byte, 0, 1<<10)
	for _, part := range []string{"first", "second", "third"} {
		if err := w.Compress([]byte(part)); err != nil {
			t.Fatal(err)
		}
		stream = append(stream, w.Data...)
	}
	r := reader(append(stream, '!'))
	r.Compressed(true)
	got := make([]byte, len("firstsecondthird"))
	if _, err := io.ReadFull(r, got); err != nil || string(got) != "firstsecondthird" {
		t.Fatalf("%q, %v", got, err)
	}
	if r.Pending() {
		t.Fatal("decompressed bytes are left")
	}
	r.Compressed(false)
	if c, err := r.ReadByte(); err != nil || c != '!' {
		t.Fatalf("%q, %v", c, err)
	}
}

func wantEnd(t *testing.T, r *wire.Reader) {
	t.Helper()
	if c, err := r.ReadByte(); !errors.Is(err, io.EOF) {
		t.Fatalf("byte %d is left, %v", c, err)
	}
}

func FuzzQuery(f *testing.F) {
	f.Add(query(proto.Version), proto.Version)
	f.Add(query(int(proto.FeatureOpenTelemetry)), int(proto.FeatureOpenTelemetry))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}, proto.Version)
	f.Fuzz(func(t *testing.T, data []byte, revision int) {
		r := reader(data)
		q, err := r.Query(revision)
		if err == nil && len(q.Text) > len(data) {
			t.Fatal("more text than bytes")
		}
		if _, err := reader(data).Hello(); err == nil && len(data) < 4 {
			t.Fatal("a hello of nothing")
		}
		r = reader(data)
		r.Compressed(true)
		if _, err := r.String(1 << 10); err == nil && len(data) < 16 {
			t.Fatal("a compressed string without a frame")
		}
	})
}
