package server

import (
	"context"
	"errors"
	"fmt"
	"net"

	"google.golang.org/grpc"
)

// front is the gRPC port. A stop lasts as long as the evaluations under way, and meanwhile clients should neither stay
// nor be hung up on. So two gRPC servers that do the same serve the port one after the other. When a stop begins, the
// first asks the clients of its connections to go (GOAWAY) and lets the calls and streams on them come to their end. The
// second answers those who come back because they know of no other place.
type front struct {
	listener      net.Listener
	arrivals      chan arrival
	newcomers     newcomers
	calls         func() (int, error) // those under way, of both shifts
	first, second *shift
}

// arrival is what the listener has accepted.
type arrival struct {
	conn net.Conn
	err  error
}

// shift is the time of one gRPC server at the port. It is the listener of that server.
type shift struct {
	server   *grpc.Server
	port     net.Listener // whose address it shows
	arrivals <-chan arrival
	over     chan struct{} // closed when the server is to take no more connections
	left     chan struct{} // closed when it takes none
}

func newFront(listener net.Listener, calls func() (int, error), first, second *grpc.Server) *front {
	f := &front{listener: listener, arrivals: make(chan arrival), calls: calls}
	f.first, f.second = f.shift(first), f.shift(second)

	return f
}

func (f *front) shift(server *grpc.Server) *shift {
	return &shift{
		server: server, port: f.listener, arrivals: f.arrivals, over: make(chan struct{}), left: make(chan struct{}),
	}
}

// accept hands out what the listener accepts until the second shift is over.
func (f *front) accept() error {
	for {
		conn, err := f.listener.Accept()
		if err == nil {
			f.newcomers.add(conn)
		}

		select {
		case f.arrivals <- arrival{conn, err}:
		case <-f.second.over:
			if err == nil {
				_ = conn.Close() // nobody is there to hear of it
			}

			return nil
		}
	}
}

// serve serves both shifts until the end of the second.
func (f *front) serve() error {
	if err := f.first.serve(); err != nil {
		close(f.second.left)

		return err
	}

	return f.second.serve()
}

// turn asks the clients of all connections to go, and does not wait until they have. What it returns is closed when
// their last calls have ended.
func (f *front) turn() <-chan struct{} {
	return f.first.end()
}

// stop takes no more connections, waits for the calls under way, those of before the turn included, and cuts off what
// does not end before ctx does. It returns how many calls that befell; the error means that they could not be
// counted, and nothing else.
func (f *front) stop(ctx context.Context, turned <-chan struct{}) (cut int, err error) {
	closed := f.second.end()
	_ = f.listener.Close() // nothing could be done about it

	late := false

	for _, ended := range []<-chan struct{}{turned, closed} {
		select {
		case <-ended:
		case <-ctx.Done():
			late = true
		}
	}

	if late {
		cut, err = f.calls()

		f.newcomers.hangUp()
		f.first.server.Stop()
		f.second.server.Stop()
	}

	<-turned
	<-closed

	return cut, err
}

func (s *shift) serve() error {
	defer close(s.left)

	err := s.server.Serve(s)

	select {
	case <-s.over:
		return nil // as it was told to
	default:
		return fmt.Errorf("serve gRPC: %w", err)
	}
}

// end has the server take no more connections, ask its clients to go, and wait for the calls under way; then it closes
// what it returns. It has to have left the port before it is stopped: what it accepted later it would hang up on.
func (s *shift) end() <-chan struct{} {
	ended := make(chan struct{})

	close(s.over)
	<-s.left

	go func() {
		defer close(ended)

		s.server.GracefulStop()
	}()

	return ended
}

var errShiftOver = errors.New("another server has the port now")

// Accept implements net.Listener.
func (s *shift) Accept() (net.Conn, error) {
	select {
	case a := <-s.arrivals:
		return a.conn, a.err
	case <-s.over:
		return nil, errShiftOver
	}
}

// Close implements net.Listener. The port stays open.
func (*shift) Close() error { return nil }

// Addr implements net.Listener.
func (s *shift) Addr() net.Addr { return s.port.Addr() }
