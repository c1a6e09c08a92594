package main

import (
	"context"
	"io"
	"log/slog"
	"time"

	"github.com/tidemark-project/tidemark/clients/tidemark"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/sources"
	"github.com/tidemark-project/tidemark/sources/cron"
)

// sourceCmd is one of the sources.
type sourceCmd struct {
	Cron       sourceCronCmd       `cmd:"" help:"Have every service evaluated once per period, each in its own slot."`
	Clickhouse sourceClickhouseCmd `cmd:"" help:"Have services evaluated at once when a signal about them lands in ClickHouse."`
}

// sourceCronCmd runs the regular sweep.
type sourceCronCmd struct {
	Period  time.Duration     `default:"10m" env:"TIDEMARK_SWEEP_PERIOD" help:"How often each service is evaluated."`
	Refresh time.Duration     `default:"1m" help:"How often the server is asked which services there are."`
	CatchUp bool              `help:"Enqueue every service once at the start instead of waiting for its slot."`
	Tenant  string            `help:"Only this tenant's services."`
	Label   map[string]string `placeholder:"KEY=VALUE" help:"Only services with these labels."`

	Server serverFlags `embed:"" group:"Server"`
}

// Run sweeps until ctx ends.
func (c *sourceCronCmd) Run(ctx context.Context, _ io.Writer, logger *slog.Logger) error {
	return c.Server.runSource(ctx, logger, func(client *tidemark.Client) sources.Source {
		return cron.New(cron.Config{
			Period:          c.Period,
			Inventory:       client,
			Select:          &tidemarkv1.ListServicesRequest{Tenant: c.Tenant, Labels: c.Label},
			RefreshInterval: c.Refresh,
			CatchUp:         c.CatchUp,
		}, logger)
	})
}

// runSource connects a source to the server and runs it until ctx ends.
func (f *serverFlags) runSource(
	ctx context.Context, logger *slog.Logger, build func(client *tidemark.Client) sources.Source,
) error {
	client, err := f.dial()
	if err != nil {
		return err
	}
	defer client.Close() //nolint:errcheck // the process ends

	logger.InfoContext(ctx, "source is running", "server", f.Server)

	return f.explain(build(client).Run(ctx, client))
}
