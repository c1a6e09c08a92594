package threshold_test

import (
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/size"
	"github.com/tidemark-project/tidemark/recommender/threshold"
	"github.com/tidemark-project/tidemark/recommender/usage"
)

const (
	gib      = int64(1) << 30
	newest   = 10 * time.Minute
	halfHour = 30 * time.Minute
)

var noon = time.Date(2026, time.March, 2, 12, 0, 0, 0, time.UTC)

// rule is the recommender with its defaults, 80 % and 20 % of CPU, and a change to them.
func rule(tb rapid.TB, change ...func(*threshold.Params)) *threshold.Recommender {
	tb.Helper()

	params := threshold.Defaults()
	for _, c := range change {
		c(&params)
	}

	r, err := threshold.New(params)
	require.NoError(tb, err)

	return r
}

func withMemory(p *threshold.Params) { p.Memory = threshold.Rule{Max: 0.9, Min: 0.3} }

func bySize(p *threshold.Params) { p.Axis = threshold.AxisSize }

// of makes a size from millicores and GiB.
func of(cpuMillis, gibibytes int64, count int32) size.Size {
	return size.Size{CPUMillis: cpuMillis, MemoryBytes: gibibytes * gib, Replicas: count}
}

// window is a constant use, as shares of what an allocation has.
func window(length time.Duration, allocation size.Size, cpu, memory float64) usage.Window {
	millis := max(int64(float64(allocation.CPUMillis)*float64(allocation.Replicas)*cpu), 1)
	bytes := max(int64(float64(allocation.MemoryBytes)*float64(allocation.Replicas)*memory), 1)
	each := max(int64(allocation.Replicas), 1)

	return usage.Window{
		Length: length, Coverage: 1,
		CPUPeakMillis: max(millis/each, 1), CPUTotalPeakMillis: millis, CPUTotalLowMillis: millis,
		ResidentMemoryPeakBytes: max(bytes/each, 1), ResidentMemoryTotalPeakBytes: bytes, ResidentMemoryTotalLowBytes: bytes,
	}
}

// input is a service that constantly uses so much, as shares of what it has, and that never changed.
func input(allocation size.Size, cpu, memory float64) recommender.Input {
	return recommender.Input{
		Service: "prod/a", Now: noon, Periodic: true, Policy: policy.Policy{Name: "p"}, Allocation: allocation,
		Usage: usage.Snapshot{
			Service: "prod/a", NewestSample: noon.Add(-time.Minute), ReadTime: noon,
			Windows: []usage.Window{window(newest, allocation, cpu, memory), window(halfHour, allocation, cpu, memory)},
		},
	}
}

// after is the evaluation that follows when the answer was applied and demand stayed.
func after(in recommender.Input, got recommender.Decision, later time.Duration) recommender.Input {
	in.Allocation, in.State, in.Now = got.Recommended, got.State, in.Now.Add(later)
	in.Usage.NewestSample, in.Usage.ReadTime = in.Now, in.Now

	return in
}

func fact(tb rapid.TB, d recommender.Decision, name string) float64 {
	tb.Helper()

	for _, f := range d.Explanation.Facts {
		if f.Name == name {
			return f.Value
		}
	}

	require.Failf(tb, "no such fact", "%s in %v", name, d.Explanation.Facts)

	return 0
}
