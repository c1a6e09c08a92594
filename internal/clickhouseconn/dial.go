package clickhouseconn

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
)

// dialer connects in a way that ends with the caller. The driver's own heeds no context: once a server has accepted a
// connection and says nothing, it waits for the whole timeout, whoever has given up or wants to stop meanwhile.
type dialer struct {
	tls *tls.Config // nil for none
	// timeout is how long one server may take to answer.
	timeout time.Duration
}

// strategy is a clickhouse.Options.DialStrategy that tries the servers one after the other. The driver's time for all of
// them is that of one; each has its own here, so that a server that hangs does not use up the time of the next.
func (d *dialer) strategy(
	ctx context.Context, id int, options *clickhouse.Options, dial clickhouse.Dial,
) (clickhouse.DialResult, error) {
	return clickhouse.DefaultDialStrategy(ctx, id, options, //nolint:wrapcheck // of attempt's making
		func(ctx context.Context, addr string, options *clickhouse.Options) (clickhouse.DialResult, error) {
			one := *options
			one.DialTimeout = 2 * d.timeout // of no effect: the context ends before

			return d.attempt(ctx, addr, &one, dial)
		})
}

// attempt connects to one server, and breaks off when ctx ends before the two have shaken hands.
func (d *dialer) attempt(
	ctx context.Context, addr string, options *clickhouse.Options, dial clickhouse.Dial,
) (clickhouse.DialResult, error) {
	ctx, cancel := context.WithTimeout(ctx, d.timeout)
	defer cancel()

	shaking := &handshake{}
	defer context.AfterFunc(ctx, shaking.hangUp)()

	result, err := dial(context.WithValue(ctx, handshakeKey{}, shaking), addr, options)
	if err == nil {
		return result, nil
	}

	shaking.hangUp() // which the driver does not

	return result, d.reason(ctx, addr, err)
}

// reason says why an attempt failed: when it was broken off, the driver has only seen the connection close.
func (d *dialer) reason(ctx context.Context, addr string, err error) error {
	cause := context.Cause(ctx)

	switch {
	case cause == nil:
		return err
	case errors.Is(cause, context.DeadlineExceeded), errors.Is(cause, clickhouse.ErrAcquireConnTimeout):
		return fmt.Errorf("%s did not answer in time, within %s at most: %w", addr, d.timeout, context.DeadlineExceeded)
	default:
		return cause //nolint:wrapcheck // the caller's own
	}
}

// connect is a clickhouse.Options.DialContext.
func (d *dialer) connect(ctx context.Context, addr string) (net.Conn, error) {
	var (
		conn net.Conn
		err  error
	)

	if d.tls != nil {
		conn, err = (&tls.Dialer{Config: d.tls}).DialContext(ctx, "tcp", addr)
	} else {
		conn, err = new(net.Dialer).DialContext(ctx, "tcp", addr)
	}

	if err != nil {
		return nil, err //nolint:wrapcheck // it names the address
	}

	if shaking, is := ctx.Value(handshakeKey{}).(*handshake); is {
		shaking.begin(conn)
	}

	return conn, nil
}

// handshake is a connection on which the driver is about to introduce itself.
type handshake struct {
	mu   sync.Mutex
	conn net.Conn
	over bool
}

type handshakeKey struct{}

func (h *handshake) begin(conn net.Conn) {
	h.mu.Lock()
	defer h.mu.Unlock()

	h.conn = conn
	if h.over {
		_ = conn.Close() // nobody wants it any more
	}
}

// hangUp closes the connection, which ends whatever waits for it.
func (h *handshake) hangUp() {
	h.mu.Lock()
	defer h.mu.Unlock()

	h.over = true
	if h.conn != nil {
		_ = h.conn.Close() // it may have been closed already
	}
}
