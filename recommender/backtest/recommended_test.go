package backtest_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/recommender/backtest"
	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/size"
	"github.com/tidemark-project/tidemark/recommender/twowindow"
)

const gib = int64(1) << 30

func twoWindow(tb testing.TB, p policy.Policy) backtest.Contender {
	tb.Helper()

	r, err := twowindow.New(twowindow.Defaults())
	require.NoError(tb, err)

	return backtest.Sized("two_window", nil, r, func(*backtest.Series) policy.Policy { return p })
}

// follow replays one service and returns what happened to it.
func follow(tb testing.TB, config backtest.Config, s *backtest.Series, c backtest.Contender) []backtest.Point {
	tb.Helper()

	tracks, err := backtest.Follow(tb.Context(), config, source(of("another", size.Resources{}, use(1, 1)), s), c, []string{s.Service})
	require.NoError(tb, err)
	require.Len(tb, tracks, 1)
	require.Equal(tb, s.Service, tracks[0].Service)
	require.Len(tb, tracks[0].Points, len(s.Samples))

	return tracks[0].Points
}

// TestSteadyServiceShrinks holds that an oversized service gets the size that the rule gives for its load, when there is
// data for four fifths of the long window: a day.
func TestSteadyServiceShrinks(t *testing.T) {
	t.Parallel()

	service := of("a", use(8_000, 32*gib), repeated(2*288, use(1_000, 4*gib))...)
	points := follow(t, backtest.Defaults(), service, twoWindow(t, policy.Default()))

	// 1,000 / 0.5303 and 4 GiB * 1.25, up to the next quarter of a core and half GiB.
	want := size.Size{CPUMillis: 2_000, MemoryBytes: 5 * gib, Replicas: 1}

	for _, p := range points {
		switch hours := p.Sample.Time / 3600; {
		case hours < 23:
			require.Equal(t, size.Size{CPUMillis: 8_000, MemoryBytes: 32 * gib, Replicas: 1}, p.Allocation)
		case hours > 24:
			require.Equal(t, want, p.Allocation)
			require.Equal(t, want, p.Recommended)
		}
	}
}

// TestKillsAreEvidence holds that a recommender learns of memory that did not fit, at once.
func TestKillsAreEvidence(t *testing.T) {
	t.Parallel()

	service := of("a", use(2_000, 8*gib), append(repeated(300, use(1_000, 6*gib)), repeated(5, use(1_000, 8*gib))...)...)
	points := follow(t, backtest.Defaults(), service, twoWindow(t, policy.Default()))

	// It had come down to 6 GiB with the ordinary headroom. Killed there, it gets half as much again, which is more than
	// 8 GiB with the ordinary headroom.
	require.Equal(t, 7*gib+gib/2, points[301].Allocation.MemoryBytes)
	require.Equal(t, 11*gib+gib/2, points[302].Allocation.MemoryBytes)
}

func TestObserveOnlyPolicy(t *testing.T) {
	t.Parallel()

	p := policy.Default()
	p.Mode = policy.ModeObserveOnly
	points := follow(t, backtest.Defaults(), of("a", use(8_000, 32*gib), repeated(400, use(1_000, 4*gib))...), twoWindow(t, p))

	last := points[len(points)-1]
	require.EqualValues(t, 8_000, last.Allocation.CPUMillis)
	require.EqualValues(t, 2_000, last.Recommended.CPUMillis)
}

func TestStart(t *testing.T) {
	t.Parallel()

	config := backtest.Defaults()
	config.Start = size.Size{CPUMillis: 3_000, Replicas: 2}

	points := follow(t, config, of("a", use(8_000, 32*gib), use(1, 1)), (&scripted{answer: stay}).contender())
	require.Equal(t, size.Size{CPUMillis: 3_000, MemoryBytes: 32 * gib, Replicas: 2}, points[0].Allocation)
}

// TestSingleWindow holds that the size is the highest use of the window with the margin.
func TestSingleWindow(t *testing.T) {
	t.Parallel()

	free := func(*backtest.Series) policy.Policy { return policy.Policy{} }
	contender := backtest.SingleWindow("w", 30*time.Minute, 1.5, free)
	service := of("a", size.Resources{}, append([]size.Resources{use(1_000, 3_000)}, repeated(12, use(100, 200))...)...)

	config := unwarmed()
	config.Interval = 5 * time.Minute
	points := follow(t, config, service, contender)

	require.Equal(t, size.Size{CPUMillis: 1_500, MemoryBytes: 4_500, Replicas: 1}, points[7].Allocation)
	require.Equal(t, size.Size{CPUMillis: 150, MemoryBytes: 300, Replicas: 1}, points[8].Allocation)
}

func TestStatic(t *testing.T) {
	t.Parallel()

	free := func(*backtest.Series) policy.Policy { return policy.Policy{} }
	points := follow(t, unwarmed(), of("a", size.Resources{}, use(100, 10), use(300, 30), use(200, 20)), backtest.Static("s", 2, free))

	require.Equal(t, size.Size{CPUMillis: 400, MemoryBytes: 40, Replicas: 1}, points[2].Allocation)
}
