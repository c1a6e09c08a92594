package clickhousetest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"

	"github.com/tidemark-project/tidemark/internal/clickhousedev"
	"github.com/tidemark-project/tidemark/internal/clickhousedev/chdb"
	"github.com/tidemark-project/tidemark/internal/clickhousedev/realserver"
)

const (
	defaultUser     = "default"
	defaultDatabase = "default"
)

// launch finds a server or starts one, and returns what stops it.
func launch() (Address, func() error, error) {
	if addr := os.Getenv(AddrEnv); addr != "" {
		return Address{Addr: addr, Username: defaultUser, Password: os.Getenv(PasswordEnv)},
			func() error { return nil }, nil
	}
	binary, err := realserver.Find(context.Background(), slog.Default())
	if err == nil {
		return launchReal(binary)
	}
	address, stop, embeddedErr := launchEmbedded()
	if embeddedErr != nil {
		return Address{}, nil, errors.Join(err, embeddedErr)
	}
	return address, stop, nil
}

// launchEmbedded starts the engine in this process.
func launchEmbedded() (Address, func() error, error) {
	server, err := clickhousedev.New(clickhousedev.Config{LibPath: library(), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return Address{}, nil, fmt.Errorf("start the embedded ClickHouse: %w", err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // It takes no time.
	if err != nil {
		return Address{}, nil, errors.Join(err, server.Close())
	}
	served := make(chan error, 1)
	go func() {
		err := server.Serve(context.Background(), ln)
		if errors.Is(err, clickhousedev.ErrServerClosed) {
			// It was stopped before it had begun.
			err = nil
		}
		served <- err
	}()
	stop := func() error { return errors.Join(server.Close(), <-served) }
	return Address{Addr: ln.Addr().String(), Username: defaultUser}, stop, nil
}

// library returns the path of libchdb: what the environment says, or else where "make engine" puts it.
func library() string {
	if path := os.Getenv(chdb.LibraryEnv); path != "" {
		return path
	}
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	for {
		found, err := filepath.Glob(filepath.Join(dir, ".tools/chdb/*/node_modules/@chdb/lib-linux-*/libchdb.so"))
		if err == nil && len(found) > 0 {
			return found[len(found)-1]
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}

// launchReal starts ClickHouse's own server.
func launchReal(binary realserver.Binary) (Address, func() error, error) {
	dir, err := os.MkdirTemp("", "tidemark-clickhouse-")
	if err != nil {
		return Address{}, nil, fmt.Errorf("make a data directory: %w", err)
	}
	addr, err := freeAddress()
	if err != nil {
		return Address{}, nil, err
	}
	p, err := realserver.Start(context.Background(), binary, realserver.Config{DataDir: dir, Listen: addr})
	if err != nil {
		return Address{}, nil, errors.Join(err, os.RemoveAll(dir))
	}
	stop := func() error { return errors.Join(p.Stop(), os.RemoveAll(dir)) }
	return Address{Addr: addr, Username: defaultUser}, stop, nil
}

// freeAddress returns an address on which nothing listens now.
func freeAddress() (string, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // It takes no time.
	if err != nil {
		return "", fmt.Errorf("find a free port: %w", err)
	}
	addr := ln.Addr().String()
	if err := ln.Close(); err != nil {
		return "", fmt.Errorf("find a free port: %w", err)
	}
	return addr, nil
}
