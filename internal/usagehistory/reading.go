package usagehistory

import (
	"context"
	"errors"
	"fmt"

	"github.com/tidemark-project/tidemark/recommender/backtest"
)

// reading puts the rows of one service after the other together.
type reading struct {
	request Request
	known   map[string]inventoried
	yield   func(*backtest.Series, error) bool
	stopped bool // nobody listens any more

	service string
	hour    int64
	minutes [60]minute
	samples []backtest.Sample
}

// minute is what the largest replica used.
type minute struct {
	nanos       float64
	bytes       int64
	cpu, memory bool
}

// errStopped ends a reading that nobody listens to.
var errStopped = errors.New("stopped")

func (r *reading) run(ctx context.Context, conn Conn) error {
	if err := eachRow(ctx, conn, r.request.usageQuery(), r.row); err != nil {
		return err
	}

	return r.end()
}

func (r *reading) row(scan func(...any) error) error {
	var (
		service                string
		hour                   int64
		cpuKeys, residentKeys  []uint8
		nanos, samples, values []uint64
	)

	if err := scan(&service, &hour, &cpuKeys, &nanos, &samples, &residentKeys, &values); err != nil {
		return fmt.Errorf("read a row of usage: %w", err)
	}

	if err := r.begin(service, hour); err != nil {
		return err
	}

	for i, key := range cpuKeys {
		m := &r.minutes[key%60]
		m.nanos, m.cpu = max(m.nanos, float64(nanos[i])/float64(max(1, samples[i]))), true
	}

	for i, key := range residentKeys {
		m := &r.minutes[key%60]
		m.bytes, m.memory = max(m.bytes, int64(values[i])), true //nolint:gosec // the view lets no more in than a pebibyte
	}

	return nil
}

// begin closes the hour and the service before, when a row is of another.
func (r *reading) begin(service string, hour int64) error {
	if service == r.service && hour == r.hour {
		return nil
	}

	r.endHour()

	if service != r.service {
		if err := r.end(); err != nil {
			return err
		}
	}

	r.service, r.hour = service, hour

	return nil
}

func (r *reading) endHour() {
	const perMilli = 1e6

	for i := range r.minutes {
		m := r.minutes[i]
		r.minutes[i] = minute{}

		at := r.hour + int64(i)*60
		if !m.cpu && !m.memory || at < r.request.From.Unix() || at > r.request.To.Unix() {
			continue
		}

		r.samples = append(r.samples, backtest.Sample{
			Time: at, CPUMillis: m.nanos / perMilli, MemoryBytes: m.bytes, CPUKnown: m.cpu, MemoryKnown: m.memory,
		})
	}
}

// end hands over the service.
func (r *reading) end() error {
	r.endHour()

	if len(r.samples) == 0 {
		return nil
	}

	of := r.known[r.service]
	series := &backtest.Series{Service: r.service, Labels: of.labels, Provisioned: of.resources, Samples: r.samples}
	series.SetStretches()

	r.samples = nil

	if !r.yield(series, nil) {
		r.stopped = true

		return errStopped
	}

	return nil
}
