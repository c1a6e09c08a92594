package server

import (
	"strings"
	"time"

	grpcprom "github.com/grpc-ecosystem/go-grpc-middleware/providers/prometheus"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promauto"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/server/worker"
)

// metrics are the server's own, on a registry that is not the process's: whatever else that holds stays out.
type metrics struct {
	registry    *prometheus.Registry
	grpc        *grpcprom.ServerMetrics
	panics      prometheus.Counter
	evaluations *prometheus.HistogramVec
	overdue     *prometheus.CounterVec
	reports     *prometheus.CounterVec
	forgotten   *prometheus.CounterVec
}

func newMetrics(registry *prometheus.Registry) *metrics {
	if registry == nil {
		registry = prometheus.NewRegistry()
	}

	factory := promauto.With(registry)
	calls := grpcprom.NewServerMetrics(grpcprom.WithServerHandlingTimeHistogram())

	registry.MustRegister(
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		collectors.NewBuildInfoCollector(),
		calls,
	)

	m := &metrics{
		registry: registry,
		grpc:     calls,
		panics: factory.NewCounter(prometheus.CounterOpts{
			Name: "tidemark_handler_panics_total",
			Help: "Calls whose handler panicked.",
		}),
		evaluations: factory.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "tidemark_evaluation_duration_seconds",
			Help:    "How long evaluations took, by outcome.",
			Buckets: prometheus.ExponentialBuckets(0.001, 2, 16), // 1 ms to 33 s
		}, []string{"outcome"}),
		overdue: factory.NewCounterVec(prometheus.CounterOpts{
			Name: "tidemark_evaluations_overdue_total",
			Help: "Evaluations cancelled because they took too long, by whether they ended then or were abandoned.",
		}, []string{"end"}),
		reports: factory.NewCounterVec(prometheus.CounterOpts{
			Name: "tidemark_scaling_reports_total",
			Help: "What agents said they did, by outcome and by whether it was about the current revision or an outdated one.",
		}, []string{"outcome", "revision"}),
		forgotten: factory.NewCounterVec(prometheus.CounterOpts{
			Name: "tidemark_services_deleted_total",
			Help: "Services that were forgotten, by whether it was ordered or they had gone.",
		}, []string{"cause"}),
	}

	m.prepare()

	return m
}

// Values of labels.
const (
	endCancelled, endAbandoned        = "cancelled", "abandoned"
	revisionCurrent, revisionOutdated = "current", "outdated"
	causeOrdered, causeGone           = "ordered", "gone"
)

// prepare shows at 0 what may be counted. A series that begins with its first event hides that event from whoever looks
// for a rise.
func (m *metrics) prepare() {
	for _, outcome := range worker.Outcomes() {
		m.evaluations.WithLabelValues(outcome)
	}

	for _, end := range []string{endCancelled, endAbandoned} {
		m.overdue.WithLabelValues(end)
	}

	for value, outcome := range tidemarkv1.ScalingOutcome_name {
		if value != int32(tidemarkv1.ScalingOutcome_SCALING_OUTCOME_UNSPECIFIED) {
			for _, revision := range []string{revisionCurrent, revisionOutdated} {
				m.reports.WithLabelValues(strings.ToLower(strings.TrimPrefix(outcome, "SCALING_OUTCOME_")), revision)
			}
		}
	}

	for _, cause := range []string{causeOrdered, causeGone} {
		m.forgotten.WithLabelValues(cause)
	}
}

// Evaluated implements worker.Observer.
func (m *metrics) Evaluated(outcome string, took time.Duration) {
	m.evaluations.WithLabelValues(outcome).Observe(took.Seconds())
}

// Overdue implements worker.Observer.
func (m *metrics) Overdue(heeded bool) {
	end := endAbandoned
	if heeded {
		end = endCancelled
	}

	m.overdue.WithLabelValues(end).Inc()
}

// Reported implements api.Observer.
func (m *metrics) Reported(outcome string, outdated bool) {
	revision := revisionCurrent
	if outdated {
		revision = revisionOutdated
	}

	m.reports.WithLabelValues(outcome, revision).Inc()
}

// Forgotten implements api.Observer.
func (m *metrics) Forgotten(gone bool) {
	cause := causeOrdered
	if gone {
		cause = causeGone
	}

	m.forgotten.WithLabelValues(cause).Inc()
}
