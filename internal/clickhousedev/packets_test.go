package clickhousedev

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/ClickHouse/ch-go/proto"
)

// packets builds what a client sends.
type packets struct{ proto.Buffer }

func (p *packets) hello(user, password string) *packets {
	proto.ClientHello{Name: "test", ProtocolVersion: proto.Version, User: user, Password: password}.Encode(&p.Buffer)
	return p
}

func (p *packets) addendum() *packets {
	p.PutString("")
	return p
}

func (p *packets) query(text string, settings ...proto.Setting) *packets {
	proto.Query{
		Body: text, Settings: settings, Compression: proto.CompressionDisabled,
		Info: proto.ClientInfo{Query: proto.ClientQueryInitial, Interface: proto.InterfaceTCP, ProtocolVersion: proto.Version},
	}.EncodeAware(&p.Buffer, proto.Version)
	return p.block()
}

// block adds a packet of data: a block of the given columns, or the empty one.
func (p *packets) block(columns ...proto.InputColumn) *packets {
	proto.ClientCodeData.Encode(&p.Buffer)
	p.PutString("")
	rows := 0
	if len(columns) > 0 {
		rows = columns[0].Data.Rows()
	}
	block := proto.Block{Info: proto.BlockInfo{BucketNum: -1}, Columns: len(columns), Rows: rows}
	if err := block.EncodeBlock(&p.Buffer, proto.Version, columns); err != nil {
		panic(err)
	}
	return p
}

func (p *packets) code(c proto.ClientCode) *packets {
	c.Encode(&p.Buffer)
	return p
}

// end adds a packet that no server knows: the server hangs up when it has dealt with all before.
func (p *packets) end() []byte { return p.code(100).Buf }

// converse sends bytes to a server, says that it has no more, and returns all that the server answers.
func converse(tb testing.TB, s *Server, sent []byte) []byte {
	tb.Helper()
	client, server := socketPair(tb)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.serveConn(context.Background(), server)
	}()
	const patience = 30 * time.Second
	if err := client.SetDeadline(time.Now().Add(patience)); err != nil {
		tb.Fatal(err)
	}
	go func() {
		// The server may hang up before it has read all.
		_, err := client.Write(sent)
		if err = errors.Join(err, client.CloseWrite()); err != nil {
			tb.Logf("send: %v", err)
		}
	}()
	out, err := io.ReadAll(client)
	if err != nil && !errors.Is(err, syscall.ECONNRESET) {
		tb.Fatalf("read the answer: %v", err)
	}
	<-ended
	if err := client.Close(); err != nil {
		tb.Fatal(err)
	}
	return out
}

// socketPair returns two ends of a connection, of a kind that does not use up ports.
func socketPair(tb testing.TB) (*net.UnixConn, *net.UnixConn) {
	tb.Helper()
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		tb.Fatal(err)
	}
	var ends [2]*net.UnixConn
	for i, fd := range fds {
		file := os.NewFile(uintptr(fd), "socket")
		conn, err := net.FileConn(file)
		if err != nil {
			tb.Fatal(err)
		}
		if err := file.Close(); err != nil {
			tb.Fatal(err)
		}
		ends[i] = conn.(*net.UnixConn)
	}
	return ends[0], ends[1]
}
