// Package worker takes services from the queue, one at a time for each worker, evaluates them and commits the result.
package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/external"
	"github.com/tidemark-project/tidemark/recommender/policies"
	"github.com/tidemark-project/tidemark/recommender/usage"
	"github.com/tidemark-project/tidemark/server/advisor"
	"github.com/tidemark-project/tidemark/server/queue"
	"github.com/tidemark-project/tidemark/server/store"
)

// Usage reads what services were seen to use.
type Usage interface {
	// Snapshot returns what the request asks for of one service. A service that nothing is known of is no error.
	Snapshot(ctx context.Context, service string, request usage.Request) (usage.Snapshot, error)
}

// Policies says how services are sized.
type Policies interface {
	// For returns the policy of a service with these labels.
	For(service string, labels map[string]string) *policies.Effective
}

// Inventory knows the labels of services.
type Inventory interface {
	// Labels returns the latest labels of a service; nil when it is not known.
	Labels(service string) map[string]string
}

// Advisor asks outside recommenders.
type Advisor interface {
	// Advise returns an answer that was given just now, or an error.
	Advise(ctx context.Context, params external.Params, request advisor.Request) (recommender.Advice, error)
}

// Observer hears of every evaluation, for metrics.
type Observer interface {
	// Evaluated is called when an evaluation has ended; outcome is one of Outcomes.
	Evaluated(outcome string, took time.Duration)
	// Overdue is called when one was cancelled because it took too long; heeded tells whether it let itself be cancelled.
	Overdue(heeded bool)
}

// Config is how evaluations are carried out.
type Config struct {
	// Workers is how many services are evaluated at once. They mostly wait for the usage store, which reads for all of
	// them together: few workers make small batches.
	Workers int
	// Timeout is how long one evaluation may take before it is cancelled.
	Timeout time.Duration
	// CancelGrace is how long a cancelled evaluation may take to end before it is abandoned.
	CancelGrace time.Duration
	// Expiry is how long a recommendation may be acted on unless it is renewed.
	Expiry time.Duration
}

// DefaultConfig returns the settings that a server has when nothing else is said.
func DefaultConfig() Config {
	return Config{Workers: 256, Timeout: 30 * time.Second, CancelGrace: 5 * time.Second, Expiry: time.Hour}
}

// Validate returns everything that is wrong with the settings.
func (c Config) Validate() error {
	var problems []error

	if c.Workers <= 0 {
		problems = append(problems, fmt.Errorf("%d workers: there must be at least one", c.Workers))
	}

	if c.Timeout <= 0 {
		problems = append(problems, fmt.Errorf("evaluation timeout is %s: it must be positive", c.Timeout))
	}

	if c.CancelGrace <= 0 {
		problems = append(problems, fmt.Errorf("grace of cancelled evaluations is %s: it must be positive", c.CancelGrace))
	}

	if c.Expiry <= 0 {
		problems = append(problems, fmt.Errorf("recommendation expiry is %s: it must be positive", c.Expiry))
	}

	return errors.Join(problems...)
}

// Pool is a bounded number of workers on one queue.
type Pool struct {
	config   Config
	queue    *queue.Queue
	store    store.Store
	sources  Sources
	observer Observer
	logger   *slog.Logger
	// abandoned holds a token for each evaluation that was left to itself.
	abandoned chan struct{}
}

// Sources are what an evaluation is made from.
type Sources struct {
	// Usage reads what services were seen to use.
	Usage Usage
	// Inventory knows their labels, so that their policy is known before their usage is read.
	Inventory Inventory
	// Policies says how they are sized.
	Policies Policies
	// Advisor asks outside recommenders; nil when there are none.
	Advisor Advisor
}

// New returns a pool that Run sets to work.
func New(
	config Config, q *queue.Queue, st store.Store, sources Sources, observer Observer, logger *slog.Logger,
) *Pool {
	return &Pool{
		config: config, queue: q, store: st, sources: sources, observer: observer, logger: logger,
		abandoned: make(chan struct{}, config.Workers),
	}
}

// Run works until the queue is shut down and empty, or ctx ends. Evaluations under way are cancelled with ctx; their
// services go back to the queue.
func (p *Pool) Run(ctx context.Context) error {
	var workers errgroup.Group

	for range p.config.Workers {
		workers.Go(func() error { return p.work(ctx) })
	}

	return workers.Wait() //nolint:wrapcheck // the workers' own
}

// work evaluates one service after the other.
func (p *Pool) work(ctx context.Context) error {
	for {
		lease, err := p.queue.Get(ctx)

		switch {
		case errors.Is(err, queue.ErrShutDown):
			return nil
		case err != nil:
			return fmt.Errorf("take work from the queue: %w", err)
		}

		p.serve(ctx, lease)
	}
}

// serve evaluates the leased service and completes the lease, whatever happens.
func (p *Pool) serve(ctx context.Context, lease queue.Lease) {
	began := time.Now()

	err := p.supervise(ctx, lease)

	switch {
	case err == nil:
		dependency := lease.Probe()

		lease.Succeed()
		p.observer.Evaluated(Succeeded, time.Since(began))

		if dependency != "" {
			p.logger.InfoContext(ctx, "evaluations go on, a few at first", "dependency", dependency)
		}
	case ctx.Err() != nil || lease.Revoked():
		// The server is stopping, or nobody wants to know any more: no fault of the service's.
		lease.Release()
		p.observer.Evaluated(Released, time.Since(began))
	default:
		p.observer.Evaluated(p.fail(ctx, lease, err), time.Since(began))
	}
}

// errPanicked says no more because it is published.
var errPanicked = errors.New("the evaluation panicked; the server's log has the particulars")

// evaluate makes and commits a recommendation. A panic becomes an error: one service must not stop the others.
func (p *Pool) evaluate(ctx context.Context, lease queue.Lease) (err error) {
	defer func() {
		if panicked := recover(); panicked != nil {
			p.logger.ErrorContext(ctx, "evaluation panicked",
				"service", lease.Service(), "panic", fmt.Sprint(panicked), "stack", string(debug.Stack()))

			err = errPanicked
		}
	}()

	return p.recommend(ctx, lease)
}
