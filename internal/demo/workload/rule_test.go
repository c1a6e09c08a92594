package workload_test

import (
	"iter"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/internal/demo/workload"
	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/twowindow"
	"github.com/tidemark-project/tidemark/recommender/usage"
)

// TestTwoWindowRuleMostlyAgrees runs the rule itself over the model, as a first sweep does.
func TestTwoWindowRuleMostlyAgrees(t *testing.T) {
	t.Parallel()

	rule, err := twowindow.New(twowindow.Defaults())
	require.NoError(t, err)

	const services = 200

	counts := map[workload.Fit]map[recommender.Direction]int{
		workload.Fitting: {}, workload.Over: {}, workload.Under: {},
	}

	for _, s := range fleet(services) {
		decision := recommender.Decide(rule, recommender.Input{
			Service: s.Key, Now: origin, Policy: policy.Default(), Allocation: s.Allocation, Periodic: true,
			Usage: usage.Snapshot{
				Service: s.Key, Allocation: s.Allocation, NewestSample: origin, ReadTime: origin,
				Windows: []usage.Window{window(&s, 3*time.Hour), window(&s, 30*time.Hour)},
			},
		})

		counts[s.Fit][decision.Direction]++
	}

	t.Log(counts)

	fitting := counts[workload.Fitting]
	require.Greater(t, fitting[recommender.DirectionNone], 80*services*7/10/100)
	require.Greater(t, counts[workload.Over][recommender.DirectionDown], services*2/10/2)
	require.Greater(t, counts[workload.Under][recommender.DirectionUp], 80*services/10/100)
}

// window is what the service used under its allocation in the window up to the origin, read every five minutes.
func window(s *workload.Service, length time.Duration) usage.Window {
	w := usage.Window{Length: length, Coverage: 1}

	for replica := range int(s.Allocation.Replicas) {
		var cores, resident []float64

		for at := range steps(-length, 0, 5*time.Minute) {
			use := s.Demand(replica, at).Under(s.Allocation)
			cores = append(cores, use.CPUCores)
			resident = append(resident, use.ResidentBytes)

			w.QueryMemoryPeakBytes = max(w.QueryMemoryPeakBytes, int64(use.QueryBytes))
			w.MemoryRejections += int64(use.Rejections)

			if n := len(cores); n > 1 {
				w.CPUPeakMillis = max(w.CPUPeakMillis, int64(1000*(cores[n-1]+cores[n-2])/2))
			}
		}

		slices.Sort(resident)
		w.ResidentMemoryPeakBytes = max(w.ResidentMemoryPeakBytes, int64(resident[len(resident)-1]))
		w.ResidentMemoryMedianBytes = max(w.ResidentMemoryMedianBytes, int64(resident[len(resident)/2]))
	}

	return w
}

// peakOf is the most that a replica wants in the 30 hours before the origin.
func peakOf(s *workload.Service, replica int) workload.Demand {
	var peak workload.Demand

	for at := range minutes(-30 * time.Hour) {
		d := s.Demand(replica, at)
		peak.CPUCores = max(peak.CPUCores, d.CPUCores)
		peak.ResidentBytes = max(peak.ResidentBytes, d.ResidentBytes)
	}

	return peak
}

// minutes are those up to the origin.
func minutes(from time.Duration) iter.Seq[time.Time] { return steps(from, 0, time.Minute) }

func steps(from, to, step time.Duration) iter.Seq[time.Time] {
	return func(yield func(time.Time) bool) {
		for at := from; at < to; at += step {
			if !yield(origin.Add(at)) {
				return
			}
		}
	}
}
