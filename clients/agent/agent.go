package agent

import (
	"context"
	"iter"
	"log/slog"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tidemark-project/tidemark/clients/tidemark"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

const (
	defaultWorkers  = 16
	defaultMinRetry = time.Second
	defaultMaxRetry = time.Minute
)

// Watcher tells of recommendations. The API's Go client is one.
type Watcher interface {
	// Watch yields what there is and every change; an error is the last thing it yields.
	Watch(ctx context.Context, options tidemark.WatchOptions) iter.Seq2[tidemark.Event, error]
}

// Snapshot says what is done with what there is when the agent starts.
type Snapshot int

const (
	// SnapshotNone hands over nothing of it, only changes.
	SnapshotNone Snapshot = iota
	// SnapshotOutstanding hands over the recommendations that differ from what the service has.
	SnapshotOutstanding
	// SnapshotAll hands over everything.
	SnapshotAll
)

// Config is what an agent needs.
type Config struct {
	// Watcher is where recommendations come from; required.
	Watcher Watcher
	// Actuator acts on them; required.
	Actuator Actuator
	// Filter selects recommendations; all when nil.
	Filter *tidemarkv1.RecommendationFilter
	// View is how much of each is fetched; without explanation and triggers when not set.
	View tidemarkv1.View
	// Snapshot says what is done with what there is at the start.
	Snapshot Snapshot
	// ObserveOnly hands over also what is not to be acted on because its policy only observes. For actuators that show.
	ObserveOnly bool
	// Workers is how many services are acted on at once; 16 when not set.
	Workers int
	// MinRetryDelay and MaxRetryDelay bound the wait before a failed action is tried again, which doubles with every
	// failure and is varied by half; 1 s and 1 min when not set.
	MinRetryDelay, MaxRetryDelay time.Duration
}

// Agent follows recommendations and acts on them.
type Agent struct {
	config  Config
	logger  *slog.Logger
	journal journal
	lanes   *lanes
}

// New returns an agent.
func New(config Config, logger *slog.Logger) *Agent {
	if config.Workers <= 0 {
		config.Workers = defaultWorkers
	}

	if config.MinRetryDelay <= 0 {
		config.MinRetryDelay = defaultMinRetry
	}

	if config.MaxRetryDelay <= 0 {
		config.MaxRetryDelay = max(defaultMaxRetry, config.MinRetryDelay)
	}

	return &Agent{
		config:  config,
		logger:  logger,
		journal: newJournal(config.Snapshot),
		lanes:   newLanes(config.MinRetryDelay, config.MaxRetryDelay),
	}
}

// Run follows and acts until ctx ends, and returns its error; or earlier, with that of a watch that no retry can mend. It
// waits for actions that are under way, whose context has ended by then. It must be called once.
func (a *Agent) Run(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)

	stop := context.AfterFunc(ctx, a.lanes.close)
	defer stop()

	for range a.config.Workers {
		group.Go(func() error { return a.work(ctx) })
	}

	group.Go(func() error { return a.follow(ctx) })

	return group.Wait() //nolint:wrapcheck // that of either part, which says what it is
}
