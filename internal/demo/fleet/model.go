package fleet

import (
	"iter"
	"time"

	"github.com/tidemark-project/tidemark/internal/demo/workload"
)

const (
	// fineHistory is how far back the history of a made-up service has a sample a minute: a little more than the small
	// window of the two-window rule.
	fineHistory = 190 * time.Minute
	fineStep    = time.Minute
	// coarseStep is the time between two samples before that: the longest scrape interval that Tidemark is made for. A
	// sample a minute all the way would be three and a half times the rows, for the same peaks.
	coarseStep = 5 * time.Minute
)

// Model makes a fleet of made-up services; package workload describes them.
func Model(config workload.Config) []Service {
	made := workload.Fleet(config)
	services := make([]Service, len(made))

	for i := range made {
		s := &made[i]
		services[i] = Service{
			Key:        s.Key,
			Kind:       string(s.Class),
			Labels:     map[string]string{"workload": string(s.Class), "fit": string(s.Fit)},
			Allocation: s.Allocation,
			Samples:    modelSamples,
			Demand:     s.Demand,
		}
	}

	return services
}

// modelSamples are coarse at first and fine at the end.
func modelSamples(from, to time.Time) iter.Seq[time.Time] {
	return func(yield func(time.Time) bool) {
		for at := from; at.Before(to); {
			if !yield(at) {
				return
			}

			step := coarseStep
			if to.Sub(at) <= fineHistory {
				step = fineStep
			}

			at = at.Add(step)
		}
	}
}
