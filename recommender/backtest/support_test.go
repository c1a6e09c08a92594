package backtest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/recommender/backtest"
	"github.com/tidemark-project/tidemark/recommender/backtest/history"
	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/size"
)

func everyPolicy(*backtest.Series) policy.Policy { return policy.Default() }

// of makes a series with a sample every five minutes, the first of which ends at 300 seconds.
func of(name string, provisioned size.Resources, use ...size.Resources) *backtest.Series {
	s := &backtest.Series{Service: name, Provisioned: provisioned}

	for i, u := range use {
		s.Samples = append(s.Samples, backtest.Sample{
			Time: 300 * int64(i+1), CPUMillis: float64(u.CPUMillis), MemoryBytes: u.MemoryBytes, CPUKnown: true, MemoryKnown: true,
		})
	}

	s.SetStretches()

	return s
}

// use is CPU and memory.
func use(cpu, memory int64) size.Resources {
	return size.Resources{CPUMillis: cpu, MemoryBytes: memory}
}

// repeated is the same use several times.
func repeated(times int, of size.Resources) []size.Resources {
	all := make([]size.Resources, times)
	for i := range all {
		all[i] = of
	}

	return all
}

func source(services ...*backtest.Series) backtest.Source {
	return func(yield func(*backtest.Series, error) bool) {
		for _, s := range services {
			if !yield(s, nil) {
				return
			}
		}
	}
}

// scripted answers by a function, and keeps what it was told.
type scripted struct {
	answer  func(backtest.Moment) backtest.Answer
	asked   []backtest.Moment
	samples []history.Sample
	kills   [][2]int64
}

func (s *scripted) Observe(sample history.Sample) { s.samples = append(s.samples, sample) }

func (s *scripted) Kill(seconds, bytes int64) { s.kills = append(s.kills, [2]int64{seconds, bytes}) }

func (s *scripted) Decide(m backtest.Moment) backtest.Answer {
	s.asked = append(s.asked, m)

	return s.answer(m)
}

func (s *scripted) contender() backtest.Contender {
	return backtest.Contender{Name: "scripted", New: func(*backtest.Series) (backtest.Player, error) { return s, nil }}
}

// stay never asks for a change.
func stay(m backtest.Moment) backtest.Answer { return backtest.Answer{Size: m.Allocation} }

// unwarmed judges from the beginning.
func unwarmed() backtest.Config {
	config := backtest.Defaults()
	config.Warmup = 0

	return config
}

// one replays one service with one contender.
func one(tb testing.TB, config backtest.Config, s *backtest.Series, c backtest.Contender) backtest.Result {
	tb.Helper()

	results, err := backtest.Run(tb.Context(), config, "test", source(s), []backtest.Contender{c})
	require.NoError(tb, err)
	require.Len(tb, results, 1)

	return results[0]
}

func requireNear(tb testing.TB, want float64, got *float64) {
	tb.Helper()

	require.NotNil(tb, got)
	require.InDelta(tb, want, *got, 1e-9)
}
