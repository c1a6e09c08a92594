package external_test

import (
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/external"
	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/size"
	"github.com/tidemark-project/tidemark/recommender/usage"
)

const gib = int64(1) << 30

var noon = time.Date(2026, time.March, 2, 12, 0, 0, 0, time.UTC)

// params are the defaults with an endpoint.
func params() external.Params {
	p := external.Defaults()
	p.Endpoint = external.Endpoint{Protocol: external.ProtocolHTTP, Address: "https://advice.example:8443/recommend"}

	return p
}

func rule(tb rapid.TB, change ...func(*external.Params)) *external.Recommender {
	tb.Helper()

	p := params()
	for _, c := range change {
		c(&p)
	}

	r, err := external.New(p)
	require.NoError(tb, err)

	return r
}

// of makes a size from millicores and GiB.
func of(cpuMillis, gibibytes int64, count int32) size.Size {
	return size.Size{CPUMillis: cpuMillis, MemoryBytes: gibibytes * gib, Replicas: count}
}

func advised(s size.Size, age time.Duration) recommender.Advice {
	return recommender.Advice{Size: s, Time: noon.Add(-age)}
}

// input is a service of 4 cores, 16 GiB and 3 replicas with good data.
func input() recommender.Input {
	windows := make([]usage.Window, 0, 2)
	for _, length := range []time.Duration{3 * time.Hour, 30 * time.Hour} {
		windows = append(windows, usage.Window{Length: length, Coverage: 1, CPUPeakMillis: 1_000, ResidentMemoryPeakBytes: gib})
	}

	return recommender.Input{
		Service: "prod/a", Now: noon, Periodic: true, Policy: policy.Policy{Name: "p"}, Allocation: of(4_000, 16, 3),
		Usage: usage.Snapshot{Service: "prod/a", NewestSample: noon.Add(-time.Minute), ReadTime: noon, Windows: windows},
	}
}
