package cron

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/sources"
)

const (
	defaultPeriod  = 10 * time.Minute
	defaultRefresh = time.Minute
	defaultName    = "cron"
)

// Config is what the sweep needs.
type Config struct {
	// Period is how often each service is evaluated; 10 minutes when not set.
	Period time.Duration
	// Inventory says which services there are; required. The API's Go client is one.
	Inventory Inventory
	// Select narrows them down; all when nil.
	Select *tidemarkv1.ListServicesRequest
	// RefreshInterval is how often the inventory is read; a minute when not set.
	RefreshInterval time.Duration
	// CatchUp enqueues every service once at the start, whatever its slot.
	CatchUp bool
	// Name is the source's name, which recommendations show; "cron" when not set.
	Name string
	// Now is the wall clock; that of the machine when nil.
	Now func() time.Time
}

// Source is the sweep.
type Source struct {
	config    Config
	logger    *slog.Logger
	inventory *inventory
	skipped   atomic.Int64
	caughtUp  bool
	late      bool // the clock stands before what was run already
}

var _ sources.Source = (*Source)(nil)

// New returns a sweep.
func New(config Config, logger *slog.Logger) *Source {
	if config.Period <= 0 {
		config.Period = defaultPeriod
	}

	if config.RefreshInterval <= 0 {
		config.RefreshInterval = defaultRefresh
	}

	if config.Name == "" {
		config.Name = defaultName
	}

	if config.Now == nil {
		config.Now = time.Now
	}

	return &Source{
		config:    config,
		logger:    logger,
		inventory: newInventory(config, logger),
		caughtUp:  !config.CatchUp,
	}
}

// Skipped returns how many slots were not run because a later one of the same service was due as well.
func (s *Source) Skipped() int64 { return s.skipped.Load() }

// Run implements sources.Source.
func (s *Source) Run(ctx context.Context, sink sources.Sink) error {
	group, ctx := errgroup.WithContext(ctx)

	group.Go(func() error { return s.inventory.run(ctx) })
	group.Go(func() error { return s.sweep(ctx, sink) })

	return group.Wait() //nolint:wrapcheck // that of either part, which says what it is
}
