package history_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/recommender/usage"
	"github.com/tidemark-project/tidemark/recommender/usage/clickhouse/history"
)

// shaped is a good histogram request that a case spoils.
func shaped(spoil func(*usage.HistogramRequest)) usage.Request {
	decays := []usage.Decay{{HalfLife: 24 * time.Hour, Share: 1}}
	h := usage.HistogramRequest{
		Span:   8 * 24 * time.Hour,
		CPU:    usage.HistogramShape{Buckets: usage.CPUBuckets(), Decays: decays},
		Memory: usage.HistogramShape{Buckets: usage.MemoryBuckets(), Decays: decays, PeakInterval: 24 * time.Hour},
	}
	spoil(&h)

	return usage.Request{Histograms: h}
}

func TestAPlanRefusesWhatCannotBeRead(t *testing.T) {
	for want, request := range map[string]usage.Request{
		"window 15m0s: it must be a multiple of 10 minutes": {Windows: []time.Duration{15 * time.Minute, time.Hour}},
		"window 0s":                                       {Windows: []time.Duration{0}},
		"window -10m0s":                                   {Windows: []time.Duration{-10 * time.Minute}},
		"histogram span 1h30m0s":                          shaped(func(h *usage.HistogramRequest) { h.Span = 90 * time.Minute }),
		"a peak interval (1h0m0s)":                        shaped(func(h *usage.HistogramRequest) { h.CPU.PeakInterval = time.Hour }),
		"memory histogram: peak interval":                 shaped(func(h *usage.HistogramRequest) { h.Memory.PeakInterval = time.Second }),
		"CPU histogram: there must be at least one decay": shaped(func(h *usage.HistogramRequest) { h.CPU.Decays = nil }),
		"memory histogram: decay": shaped(func(h *usage.HistogramRequest) {
			h.Memory.Decays = []usage.Decay{{HalfLife: -1, Share: 1}}
		}),
		"CPU histogram: decay":      shaped(func(h *usage.HistogramRequest) { h.CPU.Decays = []usage.Decay{{HalfLife: 1, Share: math.NaN()}} }),
		"CPU histogram: buckets":    shaped(func(h *usage.HistogramRequest) { h.CPU.Buckets.Growth = 1 }),
		"memory histogram: buckets": shaped(func(h *usage.HistogramRequest) { h.Memory.Buckets.First = math.NaN() }),
	} {
		_, err := history.NewPlan(request)
		require.ErrorContains(t, err, want)
	}
}

func TestEverythingThatIsWrongIsSaidAtOnce(t *testing.T) {
	request := shaped(func(h *usage.HistogramRequest) { h.CPU.Decays, h.Memory.Decays = nil, nil })
	request.Windows = []time.Duration{7 * time.Minute}

	_, err := history.NewPlan(request)
	for _, part := range []string{"window 7m0s", "CPU histogram", "memory histogram"} {
		require.ErrorContains(t, err, part)
	}
}

func TestTheReachIsWhatIsAskedFor(t *testing.T) {
	for reach, request := range map[int64]usage.Request{
		0:            {},
		65:           {Windows: []time.Duration{time.Hour, 10 * time.Minute}},
		8 * 24 * 60:  shaped(func(*usage.HistogramRequest) {}),
		14*24*60 + 5: {Windows: []time.Duration{14 * 24 * time.Hour}, Histograms: shaped(func(*usage.HistogramRequest) {}).Histograms},
	} {
		plan, err := history.NewPlan(request)
		require.NoError(t, err)
		require.Equal(t, reach, plan.Reach())
	}
}
