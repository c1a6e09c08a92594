package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/errgroup"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/tidemark-project/tidemark/internal/clickhouseconn"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	usageclickhouse "github.com/tidemark-project/tidemark/recommender/usage/clickhouse"
	"github.com/tidemark-project/tidemark/server"
	"github.com/tidemark-project/tidemark/server/advisor"
	livepolicies "github.com/tidemark-project/tidemark/server/policies"
)

// serverCmd runs the server.
type serverCmd struct {
	Listen     string `default:"localhost:8433" env:"TIDEMARK_LISTEN" help:"Address of the gRPC port."`
	HTTPListen string `name:"http-listen" default:"localhost:8434" env:"TIDEMARK_HTTP_LISTEN" help:"Address of /metrics, /healthz and /readyz; empty for none."`

	Workers           int           `default:"256" env:"TIDEMARK_WORKERS" help:"How many services are evaluated at once."`
	EvaluationTimeout time.Duration `default:"30s" env:"TIDEMARK_EVALUATION_TIMEOUT" help:"How long one evaluation may take."`
	Expiry            time.Duration `default:"1h" env:"TIDEMARK_EXPIRY" help:"How long a recommendation may be acted on unless it is renewed."`
	BackoffBase       time.Duration `default:"1s" env:"TIDEMARK_BACKOFF_BASE" help:"Longest wait after a service's first failure; doubles with each."`
	BackoffCap        time.Duration `default:"5m" env:"TIDEMARK_BACKOFF_CAP" help:"Longest wait of all."`
	BackoffLimit      int           `default:"6" env:"TIDEMARK_BACKOFF_LIMIT" help:"Failures in a row after which a service is given up until it is enqueued again."`
	MaxQueue          int           `default:"1000000" env:"TIDEMARK_MAX_QUEUE" help:"How many services may be in the queue."`

	HeartbeatInterval time.Duration `default:"10s" env:"TIDEMARK_HEARTBEAT_INTERVAL" help:"Longest silence on a watch stream."`
	WatchSendTimeout  time.Duration `default:"30s" env:"TIDEMARK_WATCH_SEND_TIMEOUT" help:"How long a watcher may leave an event unread."`
	MaxWatchers       int           `default:"10000" env:"TIDEMARK_MAX_WATCHERS" help:"How many watch streams may be open."`

	MaxWatchersPerClient int `default:"1000" env:"TIDEMARK_MAX_WATCHERS_PER_CLIENT" help:"How many of them one client may have: one certificate, or else one address."`

	InventoryInterval time.Duration `default:"15s" env:"TIDEMARK_INVENTORY_INTERVAL" help:"How often the list of services is read."`
	ForgetAfter       time.Duration `default:"168h" env:"TIDEMARK_FORGET_AFTER" help:"After how long a service is deleted that the inventory no longer lists and nothing is heard of; 0 for never."`
	ShutdownGrace     time.Duration `default:"20s" env:"TIDEMARK_SHUTDOWN_GRACE" help:"How long evaluations and calls under way get to finish at a stop."`
	MaxConnectionAge  time.Duration `default:"30m" env:"TIDEMARK_MAX_CONNECTION_AGE" help:"How long a connection lives before its client is asked to make a new one."`

	Policy     policyFlags                   `embed:"" group:"Sizing"`
	ClickHouse clickhouseconn.Config         `embed:"" group:"ClickHouse"`
	Usage      usageclickhouse.Config        `embed:"" group:"ClickHouse"`
	Batching   usageclickhouse.BatcherConfig `embed:"" group:"ClickHouse"`
}

// Run serves until ctx ends.
func (c *serverCmd) Run(ctx context.Context, logger *slog.Logger) error {
	conn, err := clickhouseconn.Open(c.ClickHouse)
	if err != nil {
		return fmt.Errorf("ClickHouse settings: %w", err)
	}
	defer conn.Close() //nolint:errcheck // the process ends

	c.Usage.Names.Database = c.ClickHouse.Database

	if err := errors.Join(c.Usage.Validate(), c.Batching.Validate()); err != nil {
		return fmt.Errorf("usage settings: %w", err)
	}

	batcher := usageclickhouse.NewBatcher(c.Batching, usageclickhouse.NewReader(c.Usage, conn))
	defer batcher.Close()

	registry := prometheus.NewRegistry()

	live, err := c.Policy.open(logger, registry)
	if err != nil {
		return err
	}

	outside, err := advisor.New(registry, logger)
	if err != nil {
		return err
	}
	defer outside.Close() //nolint:errcheck // the process ends

	complete, err := c.config().Complete(ctx, server.Dependencies{
		Usage:     batcher,
		Inventory: inventoryLister{usageclickhouse.NewInventory(c.Usage, conn, logger)},
		Policies:  live,
		Advisor:   outside,
		Registry:  registry,
	}, logger)
	if err != nil {
		return err
	}

	return c.runWithPolicies(ctx, complete, live)
}

// runWithPolicies runs the server and keeps its policies up to date until one of them ends.
func (c *serverCmd) runWithPolicies(ctx context.Context, complete *server.Server, live *livepolicies.Live) error {
	group, ctx := errgroup.WithContext(ctx)

	ctx, cancel := context.WithCancel(ctx)
	defer cancel()

	follow := func(run func() error) {
		group.Go(func() error {
			if err := run(); ctx.Err() == nil {
				return err
			}

			return nil // it ended with the server
		})
	}

	follow(func() error { return live.Run(ctx) })
	follow(func() error { return reloadOnHangup(ctx, live.Reload) })
	group.Go(func() error {
		defer cancel()

		return complete.Run(ctx)
	})

	return group.Wait() //nolint:wrapcheck // the parts' own
}

// inventoryLister gives the usage store's inventory in the API's terms.
type inventoryLister struct{ inventory *usageclickhouse.Inventory }

// List implements inventory.Lister.
func (l inventoryLister) List(ctx context.Context) ([]*tidemarkv1.Service, error) {
	entries, err := l.inventory.List(ctx)
	if err != nil {
		return nil, err
	}

	services := make([]*tidemarkv1.Service, 0, len(entries))

	for _, e := range entries {
		services = append(services, &tidemarkv1.Service{
			Service: e.Key,
			Labels:  e.Labels,
			Allocation: &tidemarkv1.Size{
				CpuMillis: e.Allocation.CPUMillis, MemoryBytes: e.Allocation.MemoryBytes, Replicas: e.Allocation.Replicas,
			},
			AllocationTime: timestamppb.New(e.UpdatedTime),
		})
	}

	return services, nil
}

// config maps the flags to the server's settings.
func (c *serverCmd) config() server.Config {
	config := server.DefaultConfig()
	config.Listen = c.Listen
	config.HTTPListen = c.HTTPListen
	config.Worker.Workers = c.Workers
	config.Worker.Timeout = c.EvaluationTimeout
	config.Worker.Expiry = c.Expiry
	config.Queue.Backoff.Base = c.BackoffBase
	config.Queue.Backoff.Cap = c.BackoffCap
	config.Queue.BackoffLimit = c.BackoffLimit
	config.Queue.MaxItems = c.MaxQueue
	config.Watch.HeartbeatInterval = c.HeartbeatInterval
	config.Watch.SendTimeout = c.WatchSendTimeout
	config.Watch.MaxWatchers = c.MaxWatchers
	config.Watch.MaxWatchersPerClient = c.MaxWatchersPerClient
	config.InventoryInterval = c.InventoryInterval
	config.ForgetAfter = c.ForgetAfter
	config.ShutdownGrace = c.ShutdownGrace
	config.MaxConnectionAge = c.MaxConnectionAge

	return config
}
