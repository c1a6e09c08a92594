package clickhousedev

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"syscall"
)

// track notes a listener or a connection, to be closed with the server. It returns false if the server is closed.
func (s *Server) track(c interface{ Close() error }) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.open[c] = struct{}{}
	s.wg.Add(1)
	return true
}

func (s *Server) untrack(c interface{ Close() error }) {
	s.mu.Lock()
	delete(s.open, c)
	s.mu.Unlock()
	s.wg.Done()
}

func (s *Server) isClosed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

// Close ends all connections, with their queries, waits for them and closes the engine. After that, another server
// can be made in this process.
func (s *Server) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return ErrServerClosed
	}
	s.closed = true
	for c := range s.open {
		s.shut(c)
	}
	s.mu.Unlock()
	s.wg.Wait()
	s.killer.close()
	return errors.Join(s.engine.close(), s.removeData())
}

func (s *Server) removeData() error {
	dirs := []string{s.spoolDir, s.remove}
	for _, dir := range dirs {
		if dir == "" {
			continue
		}
		if err := os.RemoveAll(dir); err != nil {
			return fmt.Errorf("remove data: %w", err)
		}
	}
	return nil
}

// serveConn serves one connection to its end.
func (s *Server) serveConn(ctx context.Context, nc net.Conn) {
	if !s.track(nc) {
		s.shut(nc)
		return
	}
	defer s.untrack(nc)
	defer s.shut(nc)
	defer context.AfterFunc(ctx, func() { s.shut(nc) })()

	c := newConn(s, nc, s.lastConn.Add(1))
	err := c.serve()
	c.close()
	if gone(err) {
		c.log.Debug("connection ended")
		return
	}
	c.log.Warn("connection failed", slog.Any("error", err))
}

// gone reports whether an error says only that the other side has ended the connection, or this one has.
func gone(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, net.ErrClosed) ||
		errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}
