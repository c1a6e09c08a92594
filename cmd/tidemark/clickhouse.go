package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"

	"github.com/tidemark-project/tidemark/internal/clickhouseconn"
	"github.com/tidemark-project/tidemark/internal/clickhousedev"
	"github.com/tidemark-project/tidemark/internal/clickhousedev/realserver"
)

// clickhouseCmd runs a ClickHouse for development.
type clickhouseCmd struct {
	Listen   string                `default:"127.0.0.1:9000" env:"TIDEMARK_CLICKHOUSE_LISTEN" help:"Address of the native protocol."`
	Data     string                `type:"path" env:"TIDEMARK_CLICKHOUSE_DATA" placeholder:"DIR" help:"Where the data are kept; a temporary directory when not given."`
	Password clickhouseconn.Secret `env:"TIDEMARK_CLICKHOUSE_PASSWORD" placeholder:"SECRET" help:"Password of the user default; none when not given."`
}

// Help implements kong.HelpProvider.
func (c *clickhouseCmd) Help() string {
	return `A ClickHouse server on PATH, of version 22.3 or newer, is run as it is. Without one the engine runs in this
process, from the library that CHDB_LIB_PATH names; "make engine" fetches it. Not for production.`
}

// Run serves until ctx ends.
func (c *clickhouseCmd) Run(ctx context.Context, logger *slog.Logger) error {
	binary, err := realserver.Find(ctx, logger)
	if err == nil {
		logger.InfoContext(ctx, "running the ClickHouse server on PATH", "listen", c.Listen)

		return realserver.Run(ctx, binary, realserver.Config{
			DataDir: c.Data, Listen: c.Listen, Password: string(c.Password),
		}, func() { logger.InfoContext(ctx, "ClickHouse is ready", "listen", c.Listen) })
	}

	embedded, embeddedErr := clickhousedev.New(clickhousedev.Config{
		DataDir: c.Data, Password: string(c.Password), Logger: logger,
	})
	if embeddedErr != nil {
		return errors.Join(err, fmt.Errorf("run the embedded engine instead: %w", embeddedErr))
	}

	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", c.Listen)
	if err != nil {
		return errors.Join(fmt.Errorf("listen for ClickHouse clients: %w", err), embedded.Close())
	}

	logger.InfoContext(ctx, "ClickHouse is ready", "listen", listener.Addr().String(), "version", embedded.Version())

	return errors.Join(embedded.Serve(ctx, listener), embedded.Close())
}
