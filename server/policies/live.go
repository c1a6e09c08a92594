// Package policies keeps the server's policies as their file says, also when it changes while the server runs.
package policies

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tidemark-project/tidemark/recommender/policies"
)

// DefaultPoll is how often the file is read, when nothing else is said.
const DefaultPoll = 5 * time.Second

// Live holds the policies that are in force. It is safe for concurrent use.
//
// A change of the policies evaluates nothing by itself: each service has its new policy with its next evaluation, and the
// sweep brings that for all of them.
type Live struct {
	path    string
	poll    time.Duration
	read    readFunc
	logger  *slog.Logger
	metrics *metrics
	now     atomic.Pointer[policies.Set]
	wanted  chan struct{}

	// The rest belongs to New and then to Run.

	content []byte // What the policies in force were read from.
	refused string // Why the file was refused last; empty when it was not.
}

// New reads the policies, from the file at path or, without a path, those that are built in. It fails when the file is
// missing or wrong: a server must not start with other policies than it was told. The error of a wrong file holds every
// problem with its line.
func New(path string, poll time.Duration, logger *slog.Logger, registerer prometheus.Registerer) (*Live, error) {
	return newLive(path, poll, readFile, logger, registerer)
}

func newLive(
	path string, poll time.Duration, read readFunc, logger *slog.Logger, registerer prometheus.Registerer,
) (*Live, error) {
	if poll <= 0 {
		return nil, fmt.Errorf("policy poll interval is %s: it must be positive", poll)
	}

	l := &Live{
		path: path, poll: poll, read: read, logger: logger, metrics: newMetrics(registerer), wanted: make(chan struct{}, 1),
	}

	set := policies.Default()

	if path != "" {
		content, err := read(path)
		if err != nil {
			return nil, fmt.Errorf("policies: %w", err)
		}

		if set, err = policies.Parse(path, content); err != nil {
			return nil, fmt.Errorf("policies:\n%w", err)
		}

		l.content = content
	}

	l.take(set)

	return l, nil
}

// For returns the policy of a service. The same policy is the same pointer until the policies change.
func (l *Live) For(service string, labels map[string]string) *policies.Effective {
	return l.now.Load().For(service, labels)
}

// Set returns all policies that are in force.
func (l *Live) Set() *policies.Set { return l.now.Load() }

// Reload asks Run to read the file at once, and to say so if it is still wrong. It does not wait.
func (l *Live) Reload() {
	select {
	case l.wanted <- struct{}{}:
	default:
		// One is asked for already.
	}
}

// Run follows the file until ctx ends. A file that is missing or wrong leaves in force what is in force.
func (l *Live) Run(ctx context.Context) error {
	ticker := time.NewTicker(l.poll)
	defer ticker.Stop()

	for {
		select {
		case <-ctx.Done():
			return fmt.Errorf("follow the policy file: %w", context.Cause(ctx))
		case <-ticker.C:
			l.refresh(ctx, false)
		case <-l.wanted:
			l.refresh(ctx, true)
		}
	}
}

// refresh reads the file. asked says that somebody wants to hear how it went even if nothing is new.
func (l *Live) refresh(ctx context.Context, asked bool) {
	if l.path == "" {
		return
	}

	content, err := l.read(l.path)

	switch {
	case err == nil && bytes.Equal(content, l.content):
		l.unchanged(ctx, asked)

		return
	case err == nil:
		var set *policies.Set
		if set, err = policies.Parse(l.path, content); err == nil {
			l.content = content
			l.take(set)
			l.logger.InfoContext(ctx, "policies changed; services have them with their next evaluation",
				"file", l.path, "hash", set.Hash(), "policies", len(set.Policies())-1)

			return
		}
	}

	l.refuse(ctx, err, asked)
}

// unchanged is what the file is most of the time. After it was wrong, somebody has put it back.
func (l *Live) unchanged(ctx context.Context, asked bool) {
	if asked || l.refused != "" {
		l.logger.InfoContext(ctx, "the policy file says what is in force", "file", l.path, "hash", l.Set().Hash())
		l.metrics.succeeded()
	}

	l.refused = ""
}

// take puts policies in force.
func (l *Live) take(set *policies.Set) {
	l.now.Store(set)
	l.metrics.took(set.Hash())
	l.metrics.succeeded()
	l.refused = ""
}

// refuse leaves in force what is in force and says so once for each thing that is wrong.
func (l *Live) refuse(ctx context.Context, err error, asked bool) {
	if err.Error() == l.refused && !asked {
		return
	}

	l.refused = err.Error()
	l.metrics.failures.Inc()
	l.logger.ErrorContext(ctx, "the policy file cannot be used; the policies before stay in force",
		"file", l.path, "hash", l.Set().Hash(), "error", err)
}
