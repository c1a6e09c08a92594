package agent

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/tidemark-project/tidemark/clients/tidemark"
)

const (
	maxReports     = 10_000
	maxReportAge   = time.Hour
	reportTimeout  = 10 * time.Second
	minReportDelay = time.Second
	maxReportDelay = 30 * time.Second
	// lastReports is how long the agent goes on reporting after it has stopped acting.
	lastReports = 5 * time.Second
)

// reports is what the reporter has not taken yet: per service the newest, each in its turn. Adding never waits.
type reports struct {
	reporter Reporter
	logger   *slog.Logger

	mu      sync.Mutex
	waiting map[string]entry
	order   []string // services, each once; a service whose report is being sent is not among them
	refused bool     // the last one was, as any other would have been
	closed  bool
	changed chan struct{} // something was added, or closed
	closing chan struct{} // closed when closed
}

// entry is one report that waits.
type entry struct {
	report Report
	since  time.Time
}

func newReports(reporter Reporter, logger *slog.Logger) *reports {
	return &reports{
		reporter: reporter, logger: logger, waiting: make(map[string]entry), changed: make(chan struct{}, 1),
		closing: make(chan struct{}),
	}
}

// add makes the report the one that is sent for its service. When there are too many, the oldest is dropped.
func (r *reports) add(report Report) {
	r.mu.Lock()
	defer r.mu.Unlock()

	r.push(entry{report, time.Now()})

	if len(r.order) > maxReports {
		r.dropped(r.pop().report, "too many reports wait")
	}

	r.signal()
}

// close makes run end when everything was sent.
func (r *reports) close() {
	r.mu.Lock()
	defer r.mu.Unlock()

	r.closed = true
	close(r.closing)
	r.signal()
}

// run sends reports until close was called and nothing waits, or ctx ends. What is left then is dropped.
func (r *reports) run(ctx context.Context) {
	delay := backoff.NewExponentialBackOff()
	delay.InitialInterval, delay.MaxInterval, delay.Multiplier = minReportDelay, maxReportDelay, 2
	delay.Reset()

	closing := r.closing

	for {
		next, ok := r.next(ctx)
		if !ok {
			r.dropAll()

			return
		}

		if r.send(ctx, next) {
			delay.Reset()

			continue
		}

		select {
		case <-time.After(delay.NextBackOff()):
		case <-closing: // no time for a long wait
			closing = nil

			delay.Reset()
		case <-ctx.Done():
		}
	}
}

// send delivers a report, or keeps it for another time and returns false.
func (r *reports) send(ctx context.Context, next entry) bool {
	sending, cancel := context.WithTimeout(ctx, reportTimeout)
	defer cancel()

	err := r.reporter.ReportScaling(sending, next.report)

	r.mu.Lock()
	defer r.mu.Unlock()

	switch {
	case err == nil:
		r.taken(ctx, next.report)

		return true
	case refusesReports(err):
		r.isRefused(ctx, next.report, err)

		return true
	case permanent(err):
		r.dropped(next.report, err.Error())

		return true
	case time.Since(next.since) >= maxReportAge:
		r.dropped(next.report, "it could not be delivered for too long: "+err.Error())

		return false
	}

	r.logger.DebugContext(ctx, "a report could not be delivered, trying again", "service", next.report.Service, "error", err)

	// The others first, and a newer one of the service instead.
	if _, newer := r.waiting[next.report.Service]; !newer {
		r.push(next)
	}

	return false
}

// taken notes that a report was delivered. The caller holds the lock.
func (r *reports) taken(ctx context.Context, report Report) {
	if r.refused {
		r.refused = false

		r.logger.InfoContext(ctx, "reports are taken again")
	}

	r.logger.DebugContext(ctx, "reported", "service", report.Service, "revision", report.Revision,
		"outcome", tidemark.FormatEnum(report.Outcome))
}

// isRefused gives a report up that is refused as any other would be. The caller holds the lock.
func (r *reports) isRefused(ctx context.Context, report Report, err error) {
	if !r.refused {
		r.refused = true

		r.logger.ErrorContext(ctx, "reports are refused; the agent goes on acting, and nobody is told what it does",
			"error", err)
	}

	r.logger.DebugContext(ctx, "a report is refused", "service", report.Service, "revision", report.Revision,
		"outcome", tidemark.FormatEnum(report.Outcome))
}

// next waits for a report and takes it; false when there is none any more.
func (r *reports) next(ctx context.Context) (entry, bool) {
	for {
		r.mu.Lock()
		some, closed := len(r.order) > 0, r.closed

		if some && ctx.Err() == nil {
			defer r.mu.Unlock()

			return r.pop(), true
		}

		r.mu.Unlock()

		if closed || ctx.Err() != nil {
			return entry{}, false
		}

		select {
		case <-r.changed:
		case <-ctx.Done():
		}
	}
}

// push adds an entry, or replaces that of its service, which keeps its turn. The caller holds the lock.
func (r *reports) push(e entry) {
	service := e.report.Service
	if _, waits := r.waiting[service]; !waits {
		r.order = append(r.order, service)
	}

	r.waiting[service] = e
}

// pop takes the first entry out. The caller holds the lock.
func (r *reports) pop() entry {
	service := r.order[0]
	r.order = r.order[1:]
	first := r.waiting[service]
	delete(r.waiting, service)

	return first
}

// dropAll says what could not be delivered.
func (r *reports) dropAll() {
	r.mu.Lock()
	defer r.mu.Unlock()

	for len(r.order) > 0 {
		r.dropped(r.pop().report, "the agent ends")
	}
}

func (r *reports) dropped(report Report, why string) {
	r.logger.Warn("a report is dropped", "service", report.Service, "revision", report.Revision,
		"outcome", report.Outcome, "reason", why)
}

func (r *reports) signal() {
	select {
	case r.changed <- struct{}{}:
	default:
	}
}
