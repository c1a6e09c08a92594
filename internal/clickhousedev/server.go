package clickhousedev

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/tidemark-project/tidemark/internal/clickhousedev/chdb"
)

// Server is a ClickHouse server.
type Server struct {
	cfg    Config
	engine engine
	info   serverInfo
	killer *killer
	// spoolDir is where rows wait that clients have sent and the engine has not read.
	spoolDir string
	// remove is the temporary data directory, if there is one.
	remove string

	lastConn atomic.Uint64
	wg       sync.WaitGroup
	mu       sync.Mutex
	closed   bool
	open     map[interface{ Close() error }]struct{}
}

// ErrServerClosed says that the server was closed before.
var ErrServerClosed = errors.New("server closed")

// New opens the engine and its data directory. It serves nothing until Serve is called. It fails with
// [chdb.ErrNoLibrary] where there is no libchdb, and with [chdb.ErrBusy] where the process has a Server already.
func New(cfg Config) (*Server, error) {
	s := &Server{cfg: cfg.withDefaults(), open: map[interface{ Close() error }]struct{}{}}
	if err := s.start(); err != nil {
		return nil, errors.Join(err, s.removeData())
	}
	return s, nil
}

func (s *Server) start() error {
	dir, err := s.dataDir()
	if err != nil {
		return err
	}
	s.engine = s.cfg.engine
	if s.engine == nil {
		opened, err := chdb.Open(s.cfg.LibPath, dir)
		if err != nil {
			return fmt.Errorf("open the embedded ClickHouse: %w", err)
		}
		s.engine = embedded{opened}
	}
	if err := s.prepare(dir); err != nil {
		return errors.Join(fmt.Errorf("data directory %s: %w", dir, err), s.engine.close())
	}
	return nil
}

// prepare opens the first session, which locks the data directory against other processes, and makes ready in it what
// is ours.
func (s *Server) prepare(dir string) error {
	admin, err := s.engine.session()
	if err != nil {
		return err
	}
	s.killer = &killer{session: admin}
	s.spoolDir = filepath.Join(dir, "spool")
	if err := errors.Join(os.RemoveAll(s.spoolDir), os.MkdirAll(s.spoolDir, 0o750)); err != nil {
		s.killer.close()
		return fmt.Errorf("make a directory for rows: %w", err)
	}
	if s.info, err = readInfo(admin); err != nil {
		s.killer.close()
	}
	return err
}

// dataDir returns the absolute path of the data directory.
func (s *Server) dataDir() (string, error) {
	if s.cfg.DataDir == "" {
		dir, err := os.MkdirTemp("", "tidemark-clickhouse-")
		if err != nil {
			return "", fmt.Errorf("make a temporary data directory: %w", err)
		}
		s.remove = dir
		return dir, nil
	}
	dir, err := filepath.Abs(s.cfg.DataDir)
	if err != nil {
		return "", fmt.Errorf("data directory: %w", err)
	}
	return dir, nil
}

// Version returns the engine's version, such as "26.5.1.1".
func (s *Server) Version() string { return s.info.version }

// Serve accepts connections until ctx is done or the server is closed; then it ends those that are open, with their
// queries, and returns nil. It closes the listener. It may be called for several listeners.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	if !s.track(ln) {
		return errors.Join(ErrServerClosed, ln.Close())
	}
	defer s.untrack(ln)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(ctx, func() { s.shut(ln) })()

	var conns sync.WaitGroup
	defer conns.Wait()
	defer cancel()
	for {
		nc, err := ln.Accept()
		if err != nil {
			if ctx.Err() != nil || s.isClosed() {
				return nil
			}
			return fmt.Errorf("accept: %w", err)
		}
		conns.Go(func() { s.serveConn(ctx, nc) })
	}
}

// shut closes a listener or a connection. What it was doing ends with an error, which says all there is to say.
func (s *Server) shut(c interface{ Close() error }) {
	if err := c.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
		s.cfg.Logger.Debug("close", slog.Any("error", err))
	}
}
