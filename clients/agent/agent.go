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

	// DefaultMaxChangesPerMinute is how many changes an agent begins within a minute when nothing else is said.
	DefaultMaxChangesPerMinute = 60
	// DefaultMaxDataAge is how old the usage data behind a recommendation may be when nothing else is said.
	DefaultMaxDataAge = time.Hour
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
	// SnapshotAll hands over everything, with Config.Settled also what has its size.
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
	// Settled hands over also what came to be so that there is nothing to do: the direction is NONE. For actuators that show.
	Settled bool
	// Workers is how many services are acted on at once; 16 when not set.
	Workers int
	// MinRetryDelay and MaxRetryDelay bound the wait before a failed action is tried again, which doubles with every
	// failure and is varied by half; 1 s and 1 min when not set.
	MinRetryDelay, MaxRetryDelay time.Duration

	// Reporter is told what became of each recommendation; nobody when nil.
	Reporter Reporter
	// Reader is asked whether a recommendation that has become outdated has been renewed by the server. Without one, the
	// agent waits until the watch tells, which takes longer.
	Reader Reader

	// MaxChangesPerMinute is how many actions begin within any minute, over all services, attempts after a failure
	// included. What would make a service larger goes first. 60 when not set; negative for no limit.
	MaxChangesPerMinute int
	// MaxDataAge is how old the newest usage data behind a recommendation may be. When there is no data, nothing is made
	// smaller. 1 h when not set; negative for any age, and for none.
	MaxDataAge time.Duration
	// Disruption is what the actuator does to a service whose CPU or memory it changes. Recommendations whose policy does
	// not allow that are refused. When not set, it is for the actuator to obey the recommendation's disruption.
	Disruption tidemarkv1.DisruptionClass
	// StopFile is a path. While there is anything, nothing is acted on; it is looked for before every action. No path, no
	// stop file.
	StopFile string
}

// Agent follows recommendations and acts on them.
type Agent struct {
	config  Config
	logger  *slog.Logger
	journal journal
	lanes   *lanes
	window  *window
	gate    gate
	looks   chan struct{} // makes releaseHeld look
	reports *reports      // nil without a reporter
}

// New returns an agent.
func New(config Config, logger *slog.Logger) *Agent {
	if config.Workers <= 0 {
		config.Workers = defaultWorkers
	}

	// That of a watch; an answer to the Reader would have more.
	if config.View == tidemarkv1.View_VIEW_UNSPECIFIED {
		config.View = tidemarkv1.View_VIEW_BASIC
	}

	if config.MinRetryDelay <= 0 {
		config.MinRetryDelay = defaultMinRetry
	}

	if config.MaxRetryDelay <= 0 {
		config.MaxRetryDelay = max(defaultMaxRetry, config.MinRetryDelay)
	}

	if config.MaxChangesPerMinute == 0 {
		config.MaxChangesPerMinute = DefaultMaxChangesPerMinute
	}

	if config.MaxDataAge == 0 {
		config.MaxDataAge = DefaultMaxDataAge
	}

	agent := &Agent{
		config:  config,
		logger:  logger,
		journal: newJournal(config.Snapshot),
		lanes:   newLanes(config.MinRetryDelay, config.MaxRetryDelay),
		window:  newWindow(config.MaxChangesPerMinute),
		gate:    gate{stopFile: config.StopFile, logger: logger},
		looks:   make(chan struct{}, 1),
	}

	if config.Reporter != nil {
		agent.reports = newReports(config.Reporter, logger)
	}

	return agent
}

// Run follows and acts until ctx ends, and returns its error; or earlier, with that of a watch that no retry can mend. It
// waits for actions that are under way, whose context has ended by then, and for 5 s at most for reports that the reporter
// has not taken yet. It must be called once.
func (a *Agent) Run(ctx context.Context) error {
	defer a.startReports(ctx)()

	group, ctx := errgroup.WithContext(ctx)

	stop := context.AfterFunc(ctx, a.lanes.close)
	defer stop()

	for range a.config.Workers {
		group.Go(func() error { return a.work(ctx) })
	}

	group.Go(func() error { return a.releaseHeld(ctx) })
	group.Go(func() error { return a.follow(ctx) })

	return group.Wait() //nolint:wrapcheck // that of a part, which says what it is
}

// startReports sends reports, also of what ends when ctx does, and returns what ends that.
func (a *Agent) startReports(ctx context.Context) (end func()) {
	if a.reports == nil {
		return func() {}
	}

	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})

	go func() {
		defer close(done)

		a.reports.run(ctx)
	}()

	return func() {
		defer cancel()

		a.reports.close()

		timer := time.AfterFunc(lastReports, cancel)
		defer timer.Stop()

		<-done
	}
}
