package history

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/tidemark-project/tidemark/recommender/usage"
)

// shape is how the samples of one histogram are sorted and weighed.
type shape struct {
	buckets  usage.Buckets
	interval int64 // minutes of which only the peak counts
	decays   []decay
}

// decay is one way of losing weight.
type decay struct {
	share float64
	// weights holds the weight of a sample by how many intervals it is older than the newest one. Counted from the newest
	// sample and not from the present, no weight is too small for a number when all samples are old; what is left in the end
	// are shares, which are the same.
	weights []float64
}

func newShape(request usage.HistogramShape, span int64) (*shape, error) {
	if err := checkShape(request); err != nil {
		return nil, err
	}

	s := &shape{buckets: request.Buckets, interval: max(1, minutes(request.PeakInterval))}

	for _, d := range request.Decays {
		weights := make([]float64, span/s.interval+2) // the span touches one interval more than fit into it
		for i := range weights {
			age := time.Duration(int64(i)*s.interval) * time.Minute
			weights[i] = math.Exp2(-float64(age) / float64(d.HalfLife))
		}

		s.decays = append(s.decays, decay{share: d.Share, weights: weights})
	}

	return s, nil
}

// checkShape says everything that is wrong with a shape.
func checkShape(request usage.HistogramShape) error {
	var problems []error

	if b := request.Buckets; !(b.First > 0 && b.Growth > 1 && b.Count > 0) { // written so that NaN fails too
		problems = append(problems, fmt.Errorf("buckets %+v: first must be above 0, growth above 1 and count above 0", b))
	}

	if request.PeakInterval < 0 || request.PeakInterval%time.Minute != 0 {
		problems = append(problems, fmt.Errorf("peak interval %s: it must be a multiple of 1 minute", request.PeakInterval))
	}

	if len(request.Decays) == 0 {
		problems = append(problems, errors.New("there must be at least one decay"))
	}

	for _, d := range request.Decays {
		if !(d.HalfLife > 0 && d.Share > 0) {
			problems = append(problems, fmt.Errorf("decay %+v: half-life and share must be above 0", d))
		}
	}

	return errors.Join(problems...)
}
