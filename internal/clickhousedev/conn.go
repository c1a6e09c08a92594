package clickhousedev

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"

	"github.com/ClickHouse/ch-go/compress"
	"github.com/ClickHouse/ch-go/proto"

	"github.com/tidemark-project/tidemark/internal/clickhousedev/wire"
)

// errRejected says that the client has broken the protocol, and was told so.
var errRejected = errors.New("client rejected")

// conn is a connection of a client, with its session of the engine.
type conn struct {
	server *Server
	net    net.Conn
	log    *slog.Logger
	// tag names the session to the killer.
	tag string

	reader *wire.Reader
	pump   *pump
	// revision is the one that both sides speak.
	revision int

	session  session
	settings settings

	// compressed is set if the query that is being answered wants its blocks compressed.
	compressed bool
	compressor *compress.Writer
	block      []byte

	// write guards what is written to the connection: whole packets, by one goroutine at a time.
	write sync.Mutex
	out   proto.Buffer
}

func newConn(s *Server, nc net.Conn, id uint64) *conn {
	reader := wire.NewReader(nc)
	return &conn{
		server: s, net: nc,
		log:        s.cfg.Logger.With(slog.Uint64("conn", id), slog.String("client", nc.RemoteAddr().String())),
		tag:        fmt.Sprintf("tidemark-dev-%d", id),
		reader:     reader,
		pump:       newPump(reader),
		compressor: compress.NewWriter(compress.LevelZero, compress.LZ4),
	}
}

// close ends the connection and what belongs to it.
func (c *conn) close() {
	c.server.shut(c.net)
	c.pump.stop()
	if c.session != nil {
		c.session.close()
	}
}

// serve answers the client until the connection ends, and returns why it did: always an error.
func (c *conn) serve() error {
	if err := c.handshake(); err != nil {
		return fmt.Errorf("handshake: %w", err)
	}
	for {
		code, err := c.pump.next()
		if err != nil {
			return err
		}
		switch code {
		case proto.ClientCodePing:
			err = c.sendCode(proto.ServerCodePong)
		case proto.ClientCodeQuery:
			err = c.answer()
		case proto.ClientCodeCancel:
			// The query that it was for has ended.
		case proto.ClientCodeData:
			// Rows of an INSERT that has failed.
			err = c.dropBlock()
		default:
			return c.reject(proto.ErrUnexpectedPacketFromClient, "Unexpected packet %d", code)
		}
		if err != nil {
			return err
		}
	}
}

// reject tells the client why the connection is going to be closed, and returns that as an error.
func (c *conn) reject(code proto.Error, format string, args ...any) error {
	x := refuse(code, format, args...)
	if err := c.sendException(x); err != nil {
		return err
	}
	return fmt.Errorf("%w: %s", errRejected, x.Error())
}
