package feed

import (
	"math"
	"time"

	"github.com/tidemark-project/tidemark/internal/clickhouseschema"
	"github.com/tidemark-project/tidemark/internal/demo/workload"
)

// rows are samples, column by column, as ClickHouse takes them best.
type rows struct {
	services, replicas, metrics []string
	times                       []time.Time
	values                      []float64
}

func (r *rows) len() int { return len(r.values) }

func (r *rows) reset() {
	r.services, r.replicas, r.metrics = r.services[:0], r.replicas[:0], r.metrics[:0]
	r.times, r.values = r.times[:0], r.values[:0]
}

// addUse adds what a replica used. What is not known, and a count of nothing, is left out.
func (r *rows) addUse(service, replica string, at time.Time, use workload.Use) {
	r.addKnown(service, replica, clickhouseschema.MetricCPU, at, use.CPUCores)
	r.addKnown(service, replica, clickhouseschema.MetricResident, at, use.ResidentBytes)
	r.addKnown(service, replica, clickhouseschema.MetricQueryMemory, at, use.QueryBytes)

	if use.Rejections > 0 {
		r.add(service, replica, clickhouseschema.MetricRejections, at, float64(use.Rejections))
	}
}

func (r *rows) addKnown(service, replica, metric string, at time.Time, value float64) {
	if !math.IsNaN(value) {
		r.add(service, replica, metric, at, value)
	}
}

func (r *rows) add(service, replica, metric string, at time.Time, value float64) {
	r.services = append(r.services, service)
	r.replicas = append(r.replicas, replica)
	r.metrics = append(r.metrics, metric)
	r.times = append(r.times, at)
	r.values = append(r.values, value)
}
