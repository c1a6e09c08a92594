package advisor

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"github.com/sony/gobreaker/v2"
	"golang.org/x/sync/semaphore"

	"github.com/tidemark-project/tidemark/recommender/external"
	"github.com/tidemark-project/tidemark/recommender/size"
)

// maxQuestions is how many questions one endpoint gets at once. The rest wait, within their time limit.
const maxQuestions = 64

var (
	// errNotKnown says that the endpoint answered, and does not know the service. It is no fault of the endpoint's.
	errNotKnown = errors.New("the outside recommender does not know the service")
	// errBusy says that there were too many questions at once. That the endpoint is at fault is not said.
	errBusy = errors.New("too many questions to the outside recommender are under way")
)

// key tells endpoints apart. Policies that name the same one in the same way share it.
type key struct {
	endpoint         external.Endpoint
	failureThreshold int
	openFor          time.Duration
}

func keyOf(params external.Params) key {
	return key{params.Endpoint, params.FailureThreshold, params.OpenFor}
}

// endpoint is one outside recommender, with its circuit breaker.
type endpoint struct {
	address string
	asker   asker
	slots   *semaphore.Weighted
	breaker *gobreaker.CircuitBreaker[size.Size]
	failing atomic.Bool
	metrics *metrics
	logger  *slog.Logger
}

func newEndpoint(params external.Params, m *metrics, logger *slog.Logger) (*endpoint, error) {
	how, err := newAsker(params.Endpoint)
	if err != nil {
		return nil, err
	}

	e := &endpoint{
		address: shown(params.Endpoint), asker: how, slots: semaphore.NewWeighted(maxQuestions), metrics: m, logger: logger,
	}
	e.breaker = gobreaker.NewCircuitBreaker[size.Size](gobreaker.Settings{
		Name:        e.address,
		MaxRequests: 1,
		Timeout:     params.OpenFor,
		ReadyToTrip: func(counts gobreaker.Counts) bool {
			return int64(counts.ConsecutiveFailures) >= int64(params.FailureThreshold)
		},
		IsSuccessful: func(err error) bool { return err == nil || errors.Is(err, errNotKnown) },
		// A caller that gave up says nothing about the endpoint.
		IsExcluded:    gaveUp,
		OnStateChange: func(_ string, _, to gobreaker.State) { e.metrics.state(e.address, to) },
	})
	m.state(e.address, gobreaker.StateClosed)

	return e, nil
}

// shown is the address for people. The query of a URL may hold what is not for their eyes.
func shown(endpoint external.Endpoint) string {
	address, _, _ := strings.Cut(endpoint.Address, "?")

	return address
}

// gaveUp reports that the caller did not wait for the answer, or that the advisor was closed.
func gaveUp(err error) bool { return errors.Is(err, context.Canceled) || errors.Is(err, ErrClosed) }

func newAsker(endpoint external.Endpoint) (asker, error) {
	switch endpoint.Protocol {
	case external.ProtocolHTTP:
		return newHTTP(endpoint)
	case external.ProtocolGRPC:
		return newGRPC(endpoint)
	default:
		return nil, fmt.Errorf("%q is not a protocol: use one of %q", endpoint.Protocol, external.Protocols())
	}
}

// ask puts a question, unless the endpoint is being left alone, and notes how that went.
func (e *endpoint) ask(ctx context.Context, params external.Params, request Request) (size.Size, error) {
	answer, err := e.await(ctx, params, request)
	e.note(ctx, err)

	if err != nil {
		return size.Size{}, err
	}

	return answer, nil
}

// await puts a question when there is room for it. It waits for room as long as for an answer, and then has the whole time
// limit for the answer: an endpoint that is asked too much must not look like one that is slow.
func (e *endpoint) await(ctx context.Context, params external.Params, request Request) (size.Size, error) {
	waiting, room := context.WithTimeoutCause(ctx, params.Timeout, errBusy)
	defer room()

	if err := e.slots.Acquire(waiting, 1); err != nil {
		return size.Size{}, fmt.Errorf("%w", context.Cause(waiting))
	}
	defer e.slots.Release(1)

	answer, err := e.breaker.Execute(func() (size.Size, error) { return e.put(ctx, params, request) })
	if err != nil {
		return size.Size{}, fmt.Errorf("%w", err)
	}

	return answer, nil
}

// put puts a question now.
func (e *endpoint) put(ctx context.Context, params external.Params, request Request) (size.Size, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, params.Timeout,
		fmt.Errorf("no answer within %s: %w", params.Timeout, context.DeadlineExceeded))
	defer cancel()

	answer, err := e.asker.ask(ctx, params, request)
	if err != nil && ctx.Err() != nil {
		return size.Size{}, fmt.Errorf("%w", context.Cause(ctx))
	}

	return answer, err
}

// note counts the outcome, and logs when trouble begins and when it is over.
func (e *endpoint) note(ctx context.Context, err error) {
	e.metrics.asked(e.address, outcomeOf(err))

	switch {
	case err == nil || errors.Is(err, errNotKnown):
		if e.failing.CompareAndSwap(true, false) {
			e.logger.InfoContext(ctx, "the outside recommender answers again", "endpoint", e.address)
		}
	case gaveUp(err):
	default:
		if e.failing.CompareAndSwap(false, true) {
			e.logger.WarnContext(ctx, "the outside recommender gives no good answer; its last one is kept for a while",
				"endpoint", e.address, "error", err)
		}
	}
}
