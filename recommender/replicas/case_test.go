package replicas_test

import (
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/replicas"
	"github.com/tidemark-project/tidemark/recommender/size"
	"github.com/tidemark-project/tidemark/recommender/usage"
)

const (
	gib   = int64(1) << 30
	short = 10 * time.Minute
	long  = 3 * time.Hour
)

var noon = time.Date(2026, time.March, 2, 12, 0, 0, 0, time.UTC)

// rule is the recommender with its defaults and a change to them.
func rule(tb rapid.TB, change ...func(*replicas.Params)) *replicas.Recommender {
	tb.Helper()

	params := replicas.Defaults()
	for _, c := range change {
		c(&params)
	}

	r, err := replicas.New(params)
	require.NoError(tb, err)

	return r
}

// cpuOnly leaves memory out.
func cpuOnly(target float64) func(*replicas.Params) {
	return func(p *replicas.Params) { p.CPUTarget, p.MemoryTarget = target, 0 }
}

func joint(p *replicas.Params) { p.Joint = true }

// of makes a size from millicores and GiB.
func of(cpuMillis, gibibytes int64, count int32) size.Size {
	return size.Size{CPUMillis: cpuMillis, MemoryBytes: gibibytes * gib, Replicas: count}
}

// window is what all replicas together used, evenly.
func window(length time.Duration, millis, bytes int64, count int32) usage.Window {
	each := max(int64(count), 1)

	return usage.Window{
		Length: length, Coverage: 1,
		CPUPeakMillis: max(millis/each, 1), CPUTotalPeakMillis: millis, CPUTotalLowMillis: millis,
		ResidentMemoryPeakBytes: max(bytes/each, 1), ResidentMemoryTotalPeakBytes: bytes, ResidentMemoryTotalLowBytes: bytes,
	}
}

// input is a service that has used so much in both windows, in millicores and bytes over all replicas.
func input(allocation size.Size, millis, bytes int64) recommender.Input {
	return recommender.Input{
		Service: "prod/a", Now: noon, Periodic: true, Policy: policy.Policy{Name: "p"}, Allocation: allocation,
		Usage: usage.Snapshot{
			Service: "prod/a", NewestSample: noon.Add(-time.Minute), ReadTime: noon,
			Windows: []usage.Window{
				window(short, millis, bytes, allocation.Replicas), window(long, millis, bytes, allocation.Replicas),
			},
		},
	}
}

// after is the evaluation that follows when the answer was applied and demand stayed.
func after(in recommender.Input, got recommender.Decision) recommender.Input {
	in.Allocation, in.State, in.Now = got.Recommended, got.State, in.Now.Add(10*time.Minute)
	in.Usage.NewestSample, in.Usage.ReadTime = in.Now, in.Now
	in.Usage.Windows = []usage.Window{in.Usage.Windows[0], in.Usage.Windows[1]}

	for i, w := range in.Usage.Windows {
		in.Usage.Windows[i] = window(w.Length, w.CPUTotalPeakMillis, w.ResidentMemoryTotalPeakBytes, in.Allocation.Replicas)
	}

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
