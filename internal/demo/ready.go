package demo

import (
	"context"
	"fmt"
	"slices"
	"time"

	healthpb "google.golang.org/grpc/health/grpc_health_v1"

	"github.com/tidemark-project/tidemark/clients/tidemark"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// signalPatience is how long the canary's signal may be under way, beyond a poll, before another is sent.
const signalPatience = 3 * time.Second

// readiness says when everything is up. Nothing is guessed from time or from logs: each part shows by what it does that
// it is connected.
type readiness struct {
	client    *tidemark.Client
	metrics   serverMetrics
	processes *processes
	// services is how many there are, canary one of them.
	services int
	canary   string
	// signal writes a signal for the canary; pollInterval is how often the source looks.
	signal       func(ctx context.Context) error
	pollInterval time.Duration

	signalled time.Time
}

// wait returns when the server serves, all others are connected to it, and the first sweep is over.
func (r *readiness) wait(ctx context.Context) error {
	for _, step := range []struct {
		what  string
		check func(ctx context.Context) error
	}{
		{"the server serves", r.serverServes},
		{"the agent follows the server", r.agentFollows},
		{"the cron source has read the services", r.cronConnected},
		{"the ClickHouse source brings a signal to the server", r.signalsConnected},
		{"every service is evaluated", r.swept},
	} {
		err := waitUntil(ctx, step.what, func(ctx context.Context) error {
			if err := r.processes.failing(); err != nil {
				return err
			}

			return step.check(ctx)
		})
		if err != nil {
			return err
		}
	}

	return nil
}

func (r *readiness) serverServes(ctx context.Context) error {
	answer, err := healthpb.NewHealthClient(r.client.Conn()).Check(ctx, &healthpb.HealthCheckRequest{})
	if err != nil {
		return fmt.Errorf("check the server's health: %w", err)
	}

	if answer.GetStatus() != healthpb.HealthCheckResponse_SERVING {
		return fmt.Errorf("the server is %s", answer.GetStatus())
	}

	return nil
}

// agentFollows relies on the agent being the only one that watches.
func (r *readiness) agentFollows(ctx context.Context) error {
	return r.atLeastOne(ctx, "open watch stream", "tidemark_watch_streams")
}

// cronConnected relies on the cron source being the only one that lists services.
func (r *readiness) cronConnected(ctx context.Context) error {
	return r.atLeastOne(ctx, "answered ListServices call",
		"grpc_server_handled_total", `grpc_method="ListServices"`, `grpc_code="OK"`)
}

func (r *readiness) atLeastOne(ctx context.Context, what, name string, labels ...string) error {
	count, err := r.metrics.sum(ctx, name, labels...)
	if err != nil {
		return err
	}

	if count < 1 {
		return fmt.Errorf("the server has no %s", what)
	}

	return nil
}

// signalsConnected is true when a signal of the canary has gone all the way. Another evaluation may hide it, so one is
// sent again now and then.
func (r *readiness) signalsConnected(ctx context.Context) error {
	if time.Since(r.signalled) > signalPatience+r.pollInterval {
		if err := r.signal(ctx); err != nil {
			return err
		}

		r.signalled = time.Now()
	}

	recommendation, err := r.client.Get(ctx, &tidemarkv1.GetRecommendationRequest{
		Service: r.canary, View: tidemarkv1.View_VIEW_FULL,
	})
	if err != nil {
		return err
	}

	if !slices.ContainsFunc(recommendation.GetTriggers(), func(t *tidemarkv1.TriggerRecord) bool {
		return t.GetTrigger() == tidemarkv1.Trigger_TRIGGER_SIGNAL
	}) {
		return fmt.Errorf("%s was not evaluated because of a signal yet", r.canary)
	}

	return nil
}

func (r *readiness) swept(ctx context.Context) error {
	seen, err := survey(ctx, r.client)
	if err != nil {
		return err
	}

	if seen.evaluated < r.services {
		return fmt.Errorf("%d of %d services are evaluated", seen.evaluated, r.services)
	}

	return nil
}
