// Package advisor asks outside recommenders how big services should be. An outside recommender may be slow, wrong or
// away: every question has a time limit, every answer is checked, and an endpoint that fails time and again is left alone
// for a while. No answer is no advice; what to do without is for the recommender to say.
package advisor

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/external"
	"github.com/tidemark-project/tidemark/recommender/size"
	"github.com/tidemark-project/tidemark/recommender/usage"
)

// Request is what an outside recommender is told of a service.
type Request struct {
	// Service is the key, "tenant/name".
	Service string
	// Allocation is the size it has now.
	Allocation size.Size
	// Usage is what it was seen to use.
	Usage usage.Snapshot
}

// tenantAndName splits the key.
func (r Request) tenantAndName() (string, string) {
	tenant, name, _ := strings.Cut(r.Service, "/")

	return tenant, name
}

// asker puts one question by one protocol. The answer is the service's as far as it says so.
type asker interface {
	ask(ctx context.Context, params external.Params, request Request) (size.Size, error)
	close() error
}

// ErrClosed says that an Advisor is used after it was closed.
var ErrClosed = errors.New("the advisor is closed")

// Advisor asks outside recommenders. It may be used by several goroutines at once.
type Advisor struct {
	logger  *slog.Logger
	metrics *metrics
	life    context.Context //nolint:containedctx // ends with Close
	end     context.CancelCauseFunc

	mu        sync.Mutex
	endpoints map[key]*endpoint
	asking    sync.WaitGroup // grows only while mu is held and the advisor is not closed
}

// New returns an advisor that registers its metrics. The caller closes it.
func New(registerer prometheus.Registerer, logger *slog.Logger) (*Advisor, error) {
	m := newMetrics()
	if err := m.register(registerer); err != nil {
		return nil, fmt.Errorf("register the advisor's metrics: %w", err)
	}

	life, end := context.WithCancelCause(context.Background())

	return &Advisor{logger: logger, metrics: m, life: life, end: end, endpoints: map[key]*endpoint{}}, nil
}

// Advise asks the outside recommender of the parameters. It returns an error when there was no good answer within the
// time limit, or when the endpoint is being left alone.
func (a *Advisor) Advise(ctx context.Context, params external.Params, request Request) (recommender.Advice, error) {
	endpoint, err := a.begin(params)
	if err != nil {
		return recommender.Advice{}, err
	}
	defer a.asking.Done()

	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(a.life, func() { cancel(ErrClosed) })() //nolint:contextcheck // Close ends every question

	answer, err := endpoint.ask(ctx, params, request)
	if err != nil {
		return recommender.Advice{}, fmt.Errorf("ask %s about %s: %w", endpoint.address, request.Service, err)
	}

	return recommender.Advice{Size: answer, Time: time.Now()}, nil
}

// begin notes that a question is under way, and returns the endpoint that it is for.
func (a *Advisor) begin(params external.Params) (*endpoint, error) {
	a.mu.Lock()
	defer a.mu.Unlock()

	if a.life.Err() != nil {
		return nil, ErrClosed
	}

	endpoint, err := a.endpoint(params)
	if err == nil {
		a.asking.Add(1)
	}

	return endpoint, err
}

// endpoint returns the one of the parameters, made when it is needed first.
func (a *Advisor) endpoint(params external.Params) (*endpoint, error) {
	k := keyOf(params)
	if known, ok := a.endpoints[k]; ok {
		return known, nil
	}

	made, err := newEndpoint(params, a.metrics, a.logger)
	if err != nil {
		return nil, fmt.Errorf("set up the outside recommender %s: %w", shown(params.Endpoint), err)
	}

	a.endpoints[k] = made

	return made, nil
}

// Close ends the questions under way with ErrClosed, waits for them and closes all connections.
func (a *Advisor) Close() error {
	a.mu.Lock()
	defer a.mu.Unlock()

	a.end(ErrClosed)
	a.asking.Wait()

	errs := make([]error, 0, len(a.endpoints))

	for _, endpoint := range a.endpoints {
		errs = append(errs, endpoint.asker.close())
	}

	clear(a.endpoints)

	return errors.Join(errs...)
}
