// Package history puts together what is known of one service, minute by minute, and makes of it what a usage.Request asks
// for. It does no input or output and has no clock.
package history

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/tidemark-project/tidemark/recommender/usage"
)

const (
	// smoothing is how many minutes a rolling median spans.
	smoothing = 10
	// bucket is the length of a coverage bucket in minutes.
	bucket = 10
	// lookBack is for how many minutes a replica's value stands in the sum over all replicas. Replicas are sampled at
	// different moments, and often only once a minute: without it the sum would dip in every minute in which one of them has
	// no sample of its own. It is the look-back of Prometheus.
	lookBack = 5
)

// Plan is a request made ready for any number of services: checked, and with what is the same for all computed once. It
// is immutable and safe for concurrent use.
type Plan struct {
	lengths     []time.Duration
	windows     []int64 // the same in minutes
	totals      bool
	span        int64
	cpu, memory *shape
}

// NewPlan checks a request. Its error says everything that is wrong.
func NewPlan(request usage.Request) (*Plan, error) {
	plan := &Plan{totals: request.Totals}

	var problems []error

	for _, window := range request.Windows {
		if window <= 0 || window%(bucket*time.Minute) != 0 {
			problems = append(problems, fmt.Errorf("window %s: it must be a multiple of %d minutes", window, bucket))
		}
	}

	plan.lengths = slices.Compact(slices.Sorted(slices.Values(request.Windows)))
	for _, window := range plan.lengths {
		plan.windows = append(plan.windows, minutes(window))
	}

	if request.Histograms.Wanted() {
		problems = append(problems, plan.addHistograms(request.Histograms))
	}

	if err := errors.Join(problems...); err != nil {
		return nil, err
	}

	return plan, nil
}

// addHistograms prepares both histograms.
func (p *Plan) addHistograms(request usage.HistogramRequest) error {
	if request.Span%time.Hour != 0 {
		return fmt.Errorf("histogram span %s: it must be a multiple of 1 hour", request.Span)
	}

	if request.CPU.PeakInterval != 0 {
		return fmt.Errorf("CPU histogram: a peak interval (%s) is for memory only", request.CPU.PeakInterval)
	}

	p.span = minutes(request.Span)

	var cpuErr, memoryErr error

	p.cpu, cpuErr = newShape(request.CPU, p.span)
	if cpuErr != nil {
		cpuErr = fmt.Errorf("CPU histogram: %w", cpuErr)
	}

	p.memory, memoryErr = newShape(request.Memory, p.span)
	if memoryErr != nil {
		memoryErr = fmt.Errorf("memory histogram: %w", memoryErr)
	}

	return errors.Join(cpuErr, memoryErr)
}

// Windows are the windows of the request in minutes, shortest first, each once. Do not change them.
func (p *Plan) Windows() []int64 { return p.windows }

// Reach is how many minutes back samples matter: as far as the request asks, and as far before its windows as a value
// stands in for one that is missing. 0 means that no sample is asked for.
func (p *Plan) Reach() int64 {
	reach := p.span
	if longest := p.longest(); longest > 0 {
		reach = max(reach, longest+lookBack)
	}

	return reach
}

// longest is the longest window in minutes; 0 without one.
func (p *Plan) longest() int64 {
	if len(p.windows) == 0 {
		return 0
	}

	return p.windows[len(p.windows)-1]
}

func minutes(d time.Duration) int64 { return int64(d / time.Minute) }
