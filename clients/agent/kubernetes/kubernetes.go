package kubernetes

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tidemark-project/tidemark/clients/agent"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

const (
	// readBack bounds the reading of the size that a service has after an attempt.
	readBack = 10 * time.Second
	// patienceWithUnready is short, as a pod that was not ready before may never be, and other services wait for their turn.
	patienceWithUnready = 30 * time.Second
)

// Actuator resizes StatefulSets and Deployments. It keeps nothing of them but which services they are.
type Actuator struct {
	config Config
	api    *api
	// resizes is set when the API server is known to resize pods in place.
	resizes atomic.Bool
	// services are the keys of services by the UIDs of their workloads.
	services sync.Map
	shown    sync.Mutex // of Config.DryRun
	// patience is how long a pod is waited for that was not ready before.
	patience time.Duration
}

var _ agent.Resizer = (*Actuator)(nil)

// New returns an actuator. The API server need not be there yet.
func New(config Config) (*Actuator, error) {
	if err := config.complete(); err != nil {
		return nil, err
	}

	server, err := newAPI(config.API, config.DryRun != nil)
	if err != nil {
		return nil, err
	}

	return &Actuator{config: config, api: server, patience: patienceWithUnready}, nil
}

// Close lets go of idle connections.
func (a *Actuator) Close() { a.api.close() }

// Apply implements agent.Actuator.
func (a *Actuator) Apply(ctx context.Context, recommendation *tidemarkv1.Recommendation) error {
	_, err := a.Resize(ctx, recommendation)

	return err
}

// Resize implements agent.Resizer. The size that it returns is that which the kubelets report, where the replicas differ
// the smallest of each resource; nil in a dry run. What the recommendation or the workload makes impossible is a Permanent
// error; what others have to bring about, such as the end of their rollout or room on a node, is tried again.
func (a *Actuator) Resize(
	ctx context.Context, recommendation *tidemarkv1.Recommendation,
) (*tidemarkv1.Size, error) {
	limited, cancel := context.WithTimeoutCause(ctx, a.config.Timeout,
		fmt.Errorf("it takes longer than %s, and goes on with the next attempt", a.config.Timeout))
	defer cancel()

	change, err := a.begin(limited, recommendation)
	if err != nil {
		return nil, err
	}

	err = change.make(limited)
	if err != nil {
		err = fmt.Errorf("%s: %w", change.workload, err)
	}

	if a.config.DryRun != nil {
		return nil, err
	}

	reading, cancel := context.WithTimeout(context.WithoutCancel(ctx), readBack)
	defer cancel()

	return change.size(reading), err
}

// logf tells of a change that was made, or would have been.
func (a *Actuator) logf(ctx context.Context, c *change, format string, args ...any) {
	what := fmt.Sprintf(format, args...)

	if a.config.DryRun != nil {
		a.shown.Lock()
		defer a.shown.Unlock()

		// Who reads along may have gone.
		_, _ = io.WriteString(a.config.DryRun, fmt.Sprintf("%s: %s: %s (dry run)\n", c.key, c.workload, what))

		return
	}

	a.config.Logger.LogAttrs(ctx, slog.LevelInfo, "Kubernetes: "+what, slog.String("service", c.key.String()),
		slog.String("workload", c.workload.String()), slog.Int64("revision", c.revision))
}
