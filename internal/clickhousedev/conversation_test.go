package clickhousedev

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/ClickHouse/ch-go/proto"

	"github.com/tidemark-project/tidemark/internal/clickhousedev/native"
)

// answer is what a server has sent, in short.
type answer struct {
	codes      []proto.ServerCode
	exceptions []proto.Exception
	rows       int
}

// decode reads the packets of an answer. Progress is left out: it depends on the time.
func decode(t *testing.T, sent []byte) answer {
	t.Helper()
	var a answer
	r := proto.NewReader(bytes.NewReader(sent))
	for {
		code, err := r.UInt8()
		if errors.Is(err, io.EOF) {
			return a
		}
		if err != nil {
			t.Fatal(err)
		}
		switch code := proto.ServerCode(code); code {
		case proto.ServerCodeHello:
			err = new(proto.ServerHello).DecodeAware(r, proto.Version)
		case proto.ServerCodeException:
			var x proto.Exception
			err = x.DecodeAware(r, proto.Version)
			a.exceptions = append(a.exceptions, x)
		case proto.ServerCodeProfile:
			err = new(proto.Profile).DecodeAware(r, proto.Version)
		case proto.ServerCodeProgress:
			if err := new(proto.Progress).DecodeAware(r, proto.Version); err != nil {
				t.Fatal(err)
			}
			continue
		case proto.ServerCodeData:
			var block native.Block
			if _, err = r.Str(); err == nil {
				_, block, err = native.Framing{From: proto.Version}.Append(nil, r)
			}
			a.rows += block.Rows
		default:
		}
		if err != nil {
			t.Fatalf("packet %d: %v", code, err)
		}
		a.codes = append(a.codes, proto.ServerCode(code))
	}
}

func TestConversation(t *testing.T) {
	const (
		hello, data, exception = proto.ServerCodeHello, proto.ServerCodeData, proto.ServerCodeException
		pong, end, profile     = proto.ServerCodePong, proto.ServerCodeEndOfStream, proto.ServerCodeProfile
	)
	bytesColumn := proto.ColUInt8{1, 2, 3}
	rows := proto.InputColumn{Name: "a", Data: &bytesColumn}
	start := func() *packets { return new(packets).hello("", "secret").addendum() }
	for name, test := range map[string]struct {
		sent  []byte
		codes []proto.ServerCode
		// errors are the codes of the exceptions; the last is always that of the packet that ends the test.
		errors []proto.Error
		rows   int
	}{
		"ping":            {start().code(proto.ClientCodePing).end(), []proto.ServerCode{hello, pong, exception}, []proto.Error{101}, 0},
		"wrong password":  {new(packets).hello("", "wrong").addendum().end(), []proto.ServerCode{exception}, []proto.Error{516}, 0},
		"wrong user":      {new(packets).hello("root", "secret").addendum().end(), []proto.ServerCode{exception}, []proto.Error{516}, 0},
		"no hello":        {new(packets).code(proto.ClientCodePing).end(), []proto.ServerCode{exception}, []proto.Error{101}, 0},
		"select":          {start().query("SELECT a").end(), []proto.ServerCode{hello, data, data, profile, end, exception}, []proto.Error{101}, 2},
		"ddl":             {start().query("CREATE TABLE x").end(), []proto.ServerCode{hello, profile, end, exception}, []proto.Error{101}, 0},
		"engine's error":  {start().query("DROP TABLE fail").end(), []proto.ServerCode{hello, exception, exception}, []proto.Error{60, 101}, 0},
		"empty query":     {start().query(" ").end(), []proto.ServerCode{hello, exception, exception}, []proto.Error{211, 101}, 0},
		"late cancel":     {start().code(proto.ClientCodeCancel).code(proto.ClientCodePing).end(), []proto.ServerCode{hello, pong, exception}, []proto.Error{101}, 0},
		"insert":          {start().query("INSERT INTO t (a) VALUES").block(rows).block(rows).block().end(), []proto.ServerCode{hello, data, end, exception}, []proto.Error{101}, 0},
		"insert nothing":  {start().query("INSERT INTO t FORMAT Native").block().end(), []proto.ServerCode{hello, data, end, exception}, []proto.Error{101}, 0},
		"insert inline":   {start().query("INSERT INTO t VALUES (1)").end(), []proto.ServerCode{hello, end, exception}, []proto.Error{101}, 0},
		"cancel insert":   {start().query("INSERT INTO t FORMAT Native").block(rows).code(proto.ClientCodeCancel).code(proto.ClientCodePing).end(), []proto.ServerCode{hello, data, end, pong, exception}, []proto.Error{101}, 0},
		"failed insert":   {start().query("INSERT INTO fail FORMAT Native").block(rows).block().code(proto.ClientCodePing).end(), []proto.ServerCode{hello, data, exception, pong, exception}, []proto.Error{60, 101}, 0},
		"no such column":  {start().query("INSERT INTO t (z) FORMAT Native").block(rows).block().end(), []proto.ServerCode{hello, exception, exception}, []proto.Error{16, 101}, 0},
		"ping in insert":  {start().query("INSERT INTO t FORMAT Native").code(proto.ClientCodePing).end(), []proto.ServerCode{hello, data, exception}, []proto.Error{101}, 0},
		"unknown setting": {start().query("SELECT 1", proto.Setting{Key: "unknown_setting", Value: "1", Important: true}).end(), []proto.ServerCode{hello, exception, exception}, []proto.Error{115, 101}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := fakeServer(t, "secret")
			got := decode(t, converse(t, s, test.sent))
			var codes []proto.Error
			for _, x := range got.exceptions {
				codes = append(codes, x.Code)
			}
			if !slices.Equal(got.codes, test.codes) || !slices.Equal(codes, test.errors) || got.rows != test.rows {
				t.Fatalf("got  %v %v %d\nwant %v %v %d", got.codes, codes, got.rows, test.codes, test.errors, test.rows)
			}
		})
	}
}

func TestInsertStatements(t *testing.T) {
	s, engine := fakeServer(t, "")
	column := proto.ColUInt8{1}
	rows := proto.InputColumn{Name: "it`s", Data: &column}
	engine.log()
	converse(t, s, new(packets).hello("default", "").addendum().
		query("INSERT INTO db.t SETTINGS x = 1 VALUES").block(rows).block().
		query("INSERT INTO FUNCTION f(1) (s) FORMAT CSV\n1").end())
	got := strings.Join(engine.log(), "\n")
	for _, want := range []string{
		"DESCRIBE TABLE db.t SETTINGS",
		"INSERT INTO db.t (`it\\`s`) SETTINGS x = 1 SELECT `it\\`s` FROM file('",
		".native', Native, '`it\\\\`s` UInt8')",
		"DESCRIBE f(1) SETTINGS",
		"INSERT INTO FUNCTION f(1) (`s`)  SELECT `s` FROM file('",
		".native', CSV, '`s` LowCardinality(String) DEFAULT \\'x\\'')",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

func FuzzClientPackets(f *testing.F) {
	column := proto.ColUInt8{1, 2, 3}
	rows := proto.InputColumn{Name: "a", Data: &column}
	for _, seed := range []*packets{
		new(packets).code(proto.ClientCodePing), new(packets).query("SELECT 1"), new(packets).query("CREATE TABLE t"),
		new(packets).query("INSERT INTO t VALUES").block(rows).block(rows).block(),
		new(packets).query("INSERT INTO t VALUES (1)").code(proto.ClientCodeCancel),
		new(packets).query("SET a = 1", proto.Setting{Key: "b", Value: "c"}).hello("", ""),
	} {
		f.Add(true, seed.Buf)
	}
	f.Add(false, new(packets).hello("", "").addendum().code(proto.ClientCodePing).Buf)
	f.Add(false, []byte("GET / HTTP/1.1\r\n\r\n"))
	s, _ := fakeServer(f, "")
	f.Fuzz(func(t *testing.T, greet bool, data []byte) {
		var sent packets
		if greet {
			sent.hello("", "").addendum()
		}
		converse(t, s, append(sent.Buf, data...))
	})
}
