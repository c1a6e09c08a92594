package policies

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// metrics say which policies are in force and how reading them went.
type metrics struct {
	failures prometheus.Counter
	success  prometheus.Gauge
	info     *prometheus.GaugeVec
	hash     string
}

func newMetrics(registerer prometheus.Registerer) *metrics {
	factory := promauto.With(registerer)

	return &metrics{
		failures: factory.NewCounter(prometheus.CounterOpts{
			Name: "tidemark_policy_reload_failures_total",
			Help: "Times that the policy file was found missing or wrong; a fault that stays counts once.",
		}),
		success: factory.NewGauge(prometheus.GaugeOpts{
			Name: "tidemark_policy_last_reload_success_timestamp_seconds",
			Help: "When the policy file was last taken, or found to say what is in force.",
		}),
		info: factory.NewGaugeVec(prometheus.GaugeOpts{
			Name: "tidemark_policy_info",
			Help: "1 for the hash of the policies in force.",
		}, []string{"hash"}),
	}
}

// took shows the hash of what is in force. The new one comes before the old one goes, so that a scrape sees at least one.
func (m *metrics) took(hash string) {
	m.info.WithLabelValues(hash).Set(1)

	if m.hash != hash && m.hash != "" {
		m.info.DeleteLabelValues(m.hash)
	}

	m.hash = hash
}

func (m *metrics) succeeded() { m.success.SetToCurrentTime() }
