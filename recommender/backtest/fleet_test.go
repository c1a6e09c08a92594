package backtest_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/recommender/backtest"
)

// TestResultsDoNotDependOnTheWorkers replays a fleet with one worker and with many.
func TestResultsDoNotDependOnTheWorkers(t *testing.T) {
	t.Parallel()

	const fleet, days = 12, 2

	services := make([]*backtest.Series, 0, fleet)
	for i := range fleet {
		services = append(services, madeUp(i, days*288))
	}

	contenders := make([]backtest.Contender, 0, len(backtest.Names()))

	for _, name := range backtest.Names() {
		contender, err := backtest.Builtin(name, everyPolicy)
		require.NoError(t, err)

		contenders = append(contenders, contender)
	}

	run := func(workers int) []backtest.Result {
		config := backtest.Defaults()
		config.Workers = workers

		var last backtest.Progress

		config.Progress = func(p backtest.Progress) { last = p }

		results, err := backtest.Run(t.Context(), config, "made up", source(services...), contenders)
		require.NoError(t, err)
		require.EqualValues(t, fleet, last.Services)
		require.EqualValues(t, fleet*days*288*len(contenders), last.Samples)

		return results
	}

	alone := run(1)
	require.Len(t, alone, len(contenders))
	require.Equal(t, alone, run(8))

	for i, name := range backtest.Names() {
		require.Equal(t, name, alone[i].Recommender)
		require.Equal(t, fleet, alone[i].Services)
		require.Len(t, alone[i].Worst, 10)
		require.True(t, slices.IsSortedFunc(alone[i].Worst, func(a, b backtest.ServiceResult) int {
			return int(b.ShortMinutes*1e6 - a.ShortMinutes*1e6)
		}))
	}
}

func TestUnknownNames(t *testing.T) {
	t.Parallel()

	_, err := backtest.Builtin("vpa", everyPolicy)
	require.EqualError(t, err,
		`no recommender is called "vpa": there are stable, balanced, lean, percentile, window-3h, window-30h, static-2x`)
}

func TestRunEndsWithItsContext(t *testing.T) {
	t.Parallel()

	ctx, cancel := context.WithCancelCause(t.Context())
	gone := errors.New("nobody waits")

	endless := func(yield func(*backtest.Series, error) bool) {
		for i := 0; yield(madeUp(i, 2), nil); i++ {
			cancel(gone)
		}
	}

	_, err := backtest.Run(ctx, backtest.Defaults(), "endless", endless, []backtest.Contender{(&scripted{answer: stay}).contender()})
	require.ErrorIs(t, err, gone)
}
