package advisor

import (
	"context"
	"errors"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/sony/gobreaker/v2"
)

// metrics count questions. Endpoints come from policies, so there are few.
type metrics struct {
	questions *prometheus.CounterVec
	open      *prometheus.GaugeVec
}

func newMetrics() *metrics {
	return &metrics{
		questions: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "tidemark_external_questions_total",
			Help: "Questions to outside recommenders, by outcome: ok, unknown (of the service), timeout, failed, refused (left alone), busy (too many at once), cancelled.",
		}, []string{"endpoint", "outcome"}),
		open: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "tidemark_external_breaker_open",
			Help: "1 while an outside recommender is being left alone because it failed time and again.",
		}, []string{"endpoint"}),
	}
}

func (m *metrics) register(registerer prometheus.Registerer) error {
	return errors.Join(registerer.Register(m.questions), registerer.Register(m.open))
}

func (m *metrics) asked(endpoint, outcome string) {
	m.questions.WithLabelValues(endpoint, outcome).Inc()
}

func (m *metrics) state(endpoint string, state gobreaker.State) {
	value := 0.0
	if state == gobreaker.StateOpen {
		value = 1
	}

	m.open.WithLabelValues(endpoint).Set(value)
}

func outcomeOf(err error) string {
	switch {
	case err == nil:
		return "ok"
	case errors.Is(err, errNotKnown):
		return "unknown"
	case gaveUp(err):
		return "cancelled"
	case errors.Is(err, errBusy):
		return "busy"
	case errors.Is(err, gobreaker.ErrOpenState), errors.Is(err, gobreaker.ErrTooManyRequests):
		return "refused"
	case errors.Is(err, context.DeadlineExceeded):
		return "timeout"
	default:
		return "failed"
	}
}
