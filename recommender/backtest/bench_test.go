package backtest_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/recommender/backtest"
)

// BenchmarkFleet replays 1,000 services for 30 days at 5-minute samples, 8.64 million samples, made up in memory: daily
// and weekly cycles, noise and spikes.
func BenchmarkFleet(b *testing.B) {
	const services, days = 1_000, 30

	fleet := make([]*backtest.Series, 0, services)
	for i := range services {
		fleet = append(fleet, madeUp(i, days*288))
	}

	source := func(yield func(*backtest.Series, error) bool) {
		for _, s := range fleet {
			if !yield(s, nil) {
				return
			}
		}
	}

	for _, name := range []string{"stable", "balanced"} {
		contender, err := backtest.Builtin(name, everyPolicy)
		require.NoError(b, err)

		b.Run(name, func(b *testing.B) {
			config := backtest.Defaults()

			var progress backtest.Progress

			config.Progress = func(p backtest.Progress) { progress = p }

			for b.Loop() {
				_, err := backtest.Run(b.Context(), config, "made up", source, []backtest.Contender{contender})
				require.NoError(b, err)
			}

			b.ReportMetric(float64(progress.Samples), "samples/op")
			b.ReportMetric(float64(progress.Decisions), "decisions/op")
		})
	}
}

// madeUp is one service.
func madeUp(number, samples int) *backtest.Series {
	random := rand.New(rand.NewPCG(uint64(number), 1))
	base, swing := 500+random.Float64()*4_000, random.Float64()
	s := &backtest.Series{Service: fmt.Sprintf("tenant/%d", number), Samples: make([]backtest.Sample, 0, samples)}

	for i := range samples {
		day := 2 * math.Pi * float64(i) / 288
		load := base * (1 + swing*math.Sin(day) + swing/3*math.Sin(day/7) + random.Float64()/5)

		if random.IntN(500) == 0 {
			load *= 3
		}

		s.Samples = append(s.Samples, backtest.Sample{
			Time: 1_772_452_800 + int64(i)*300, Seconds: 300, CPUMillis: math.Round(max(load, 1)), CPUKnown: true,
			MemoryBytes: int64((2 + max(load, 1)/1000) * (1 << 30)), MemoryKnown: true,
		})
	}

	return s
}
