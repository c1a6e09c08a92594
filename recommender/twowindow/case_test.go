package twowindow_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/size"
	"github.com/tidemark-project/tidemark/recommender/twowindow"
	"github.com/tidemark-project/tidemark/recommender/usage"
)

const (
	gib        = int64(1) << 30
	smallSpan  = 3 * time.Hour
	largeSpan  = 30 * time.Hour
	slot       = 10 * time.Minute
	keepMemory = 10 // GiB: the allocation that steadyMemory asks for.
)

var noon = time.Date(2026, time.March, 2, 12, 0, 0, 0, time.UTC)

// rule is the recommender with the published constants.
func rule(tb testing.TB) *twowindow.Recommender {
	tb.Helper()

	r, err := twowindow.New(twowindow.Defaults())
	require.NoError(tb, err)

	return r
}

// of makes a size from millicores and GiB.
func of(cpuMillis, gibibytes int64) size.Size {
	return size.Size{CPUMillis: cpuMillis, MemoryBytes: gibibytes * gib, Replicas: 3}
}

// steadyMemory is a fully covered window whose memory need is exactly keepMemory GiB.
func steadyMemory(span time.Duration, cpuPeakMillis int64) usage.Window {
	return usage.Window{
		Length: span, Coverage: 1, CPUPeakMillis: cpuPeakMillis,
		ResidentMemoryPeakBytes: 8 * gib, ResidentMemoryMedianBytes: 8 * gib,
	}
}

// steadyCPU is a fully covered window whose CPU peak keeps an allocation of 4 cores.
func steadyCPU(span time.Duration, residentBytes int64) usage.Window {
	return usage.Window{
		Length: span, Coverage: 1, CPUPeakMillis: 2000,
		ResidentMemoryPeakBytes: residentBytes, ResidentMemoryMedianBytes: residentBytes,
	}
}

// input is a periodic evaluation at noon with fresh data.
func input(allocation size.Size, p policy.Policy, small, large usage.Window) recommender.Input {
	return recommender.Input{
		Service: "prod/orders-db", Now: noon, Policy: p, Allocation: allocation, Periodic: true,
		Usage: usage.Snapshot{
			Service: "prod/orders-db", Allocation: allocation, Windows: []usage.Window{small, large},
			NewestSample: noon.Add(-time.Minute), ReadTime: noon,
		},
	}
}

// after is the state that one periodic evaluation a slot ago left behind.
func after(cpuMillis, memoryBytes int64) recommender.State {
	return recommender.State{Trend: recommender.Trend{
		Time:  noon.Add(-slot),
		Small: size.Resources{CPUMillis: cpuMillis, MemoryBytes: memoryBytes},
	}}
}

func ladder(cores ...int64) []size.Resources {
	entries := make([]size.Resources, 0, len(cores))
	for _, c := range cores {
		entries = append(entries, of(c*1000, c*4).Resources())
	}

	return entries
}
