package backtest_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/recommender/backtest"
	"github.com/tidemark-project/tidemark/recommender/size"
)

// at is so many seconds after 1970.
func at(seconds int64) time.Time { return time.Unix(seconds, 0).UTC() }

// TestByHand follows six samples. The fourth does not fit, so the player is asked at once; what it says takes effect five
// minutes later, after the fifth sample.
func TestByHand(t *testing.T) {
	t.Parallel()

	small, large := size.Size{CPUMillis: 200, MemoryBytes: 1 << 30, Replicas: 1}, size.Size{CPUMillis: 400, MemoryBytes: 1 << 30, Replicas: 1}
	player := &scripted{answer: func(m backtest.Moment) backtest.Answer {
		if m.Periodic {
			return stay(m)
		}

		return backtest.Answer{Size: large}
	}}
	service := of("a", small.Resources(),
		use(100, 1<<29), use(100, 1<<29), use(100, 1<<29), use(300, 1<<29), use(100, 1<<29), use(100, 1<<29))

	got := one(t, unwarmed(), service, player.contender())

	require.Equal(t, []backtest.Moment{
		{Now: at(300), Allocation: small, Periodic: true},
		{Now: at(900), Allocation: small, Periodic: true},
		{Now: at(1200), Allocation: small},
		{Now: at(1500), Allocation: large, Periodic: true},
	}, player.asked)
	require.Empty(t, player.kills)

	const days = 1800. / 86_400

	require.Equal(t, 1, got.Services)
	require.InDelta(t, days, got.ServiceDays, 1e-9)
	requireNear(t, (0.5+0.5+0.5+0+0.5+0.75)/6, got.CPUSlack)
	requireNear(t, 0.5, got.MemorySlack)
	requireNear(t, 0.5, got.MemorySlackMedian)
	requireNear(t, 5/days, got.CPUShortMinutes)
	requireNear(t, 0, got.MemoryShortMinutes)
	requireNear(t, 0, got.Kills)
	require.InDelta(t, 1/days, got.Resizes, 1e-9)
	require.InDelta(t, 1/days, got.CPUResizes, 1e-9)
	require.Zero(t, got.MemoryResizes)
	require.InDelta(t, (5*0.2+0.4)/12, got.CoreHours, 1e-9)
	require.InDelta(t, (5*0.1+0.3)/12, got.UsedCoreHours, 1e-9)
	require.InDelta(t, 0.5, got.GibibyteHours, 1e-9)
	require.InDelta(t, 0.25, got.UsedGibibyteHours, 1e-9)
	require.Len(t, got.Worst, 1)
	require.InDelta(t, 5/days, got.Worst[0].ShortMinutes, 1e-9)
	require.Equal(t, map[int64]backtest.Hour{0: {
		Seconds: 1800, CPUUsed: 800 * 300, CPUAllocated: (5*200 + 400) * 300, MemoryUsed: 512 * 1800, MemoryAllocated: 1024 * 1800,
	}}, got.Fleet)
}

// TestKills holds that memory that does not fit is a kill at the allocation, and that one run of them counts once.
func TestKills(t *testing.T) {
	t.Parallel()

	player := &scripted{answer: stay}
	service := of("a", use(1000, 100), use(1, 50), use(1, 101), use(1, 200), use(1, 100), use(1, 150))

	got := one(t, unwarmed(), service, player.contender())

	require.Equal(t, [][2]int64{{600, 100}, {900, 100}, {1500, 100}}, player.kills)
	requireNear(t, 1000*2/got.ServiceDays, got.Kills)
	requireNear(t, 15/got.ServiceDays, got.MemoryShortMinutes)
}

func TestWithoutSignalsOnlyRegularQuestions(t *testing.T) {
	t.Parallel()

	config := unwarmed()
	config.Signals, config.Interval = false, 20*time.Minute
	player := &scripted{answer: stay}

	one(t, config, of("a", use(10, 10), repeated(9, use(20, 20))...), player.contender())

	asked := make([]time.Time, 0, len(player.asked))

	for _, m := range player.asked {
		require.True(t, m.Periodic)

		asked = append(asked, m.Now)
	}

	require.Equal(t, []time.Time{at(300), at(1500), at(2700)}, asked)
}

func TestWarmupIsNotJudged(t *testing.T) {
	t.Parallel()

	config := backtest.Defaults()
	config.Warmup, config.Signals = time.Hour, false
	player := &scripted{answer: func(m backtest.Moment) backtest.Answer {
		m.Allocation.CPUMillis++

		return backtest.Answer{Size: m.Allocation}
	}}

	// An hour that does not fit, and half an hour that does.
	service := of("a", use(50, 100), append(repeated(12, use(90, 200)), repeated(6, use(40, 50))...)...)
	got := one(t, config, service, player.contender())

	require.InDelta(t, 0.5/24, got.ServiceDays, 1e-9)
	requireNear(t, 0, got.CPUShortMinutes)
	requireNear(t, 0, got.Kills)
	require.InDelta(t, 3, got.Resizes*got.ServiceDays, 1e-9)
}

func TestObservedSizesDoNotTakeEffect(t *testing.T) {
	t.Parallel()

	player := &scripted{answer: func(backtest.Moment) backtest.Answer {
		return backtest.Answer{Size: size.Size{CPUMillis: 1, MemoryBytes: 1, Replicas: 1}, Observed: true}
	}}
	require.Zero(t, one(t, unwarmed(), of("a", use(10, 10), repeated(9, use(5, 5))...), player.contender()).Resizes)
}

// TestReplicas holds that the recording is the sum over replicas, each of which uses an equal part.
func TestReplicas(t *testing.T) {
	t.Parallel()

	player := &scripted{answer: func(m backtest.Moment) backtest.Answer {
		m.Allocation.Replicas = 2

		return backtest.Answer{Size: m.Allocation}
	}}
	config := unwarmed()
	config.Delay = 0

	got := one(t, config, of("a", use(100, 100), use(80, 80), use(80, 80)), player.contender())

	require.InDelta(t, 80, player.samples[0].CPUMillis, 1e-9)
	require.InDelta(t, 40, player.samples[1].CPUMillis, 1e-9)
	require.InDelta(t, 80, player.samples[1].MemoryTotalBytes, 1e-9)
	requireNear(t, (0.2+0.6)/2, got.CPUSlack)
}

func TestCappedUse(t *testing.T) {
	t.Parallel()

	config := unwarmed()
	config.Capped = true
	player := &scripted{answer: stay}

	got := one(t, config, of("a", use(100, 50), use(250, 70), use(250, 70)), player.contender())

	require.InDelta(t, 100, player.samples[0].CPUMillis, 1e-9)
	require.InDelta(t, 50, player.samples[0].MemoryBytes, 1e-9)
	requireNear(t, 10/got.ServiceDays, got.CPUShortMinutes)
}

// TestAbsentResource holds that a resource that was not recorded is played but not judged.
func TestAbsentResource(t *testing.T) {
	t.Parallel()

	service := of("a", size.Resources{}, use(100, 0), use(50, 0))
	for i := range service.Samples {
		service.Samples[i].MemoryKnown = false
	}

	player := &scripted{answer: stay}
	got := one(t, unwarmed(), service, player.contender())

	require.Nil(t, got.MemorySlack)
	require.Nil(t, got.MemoryShortMinutes)
	require.Nil(t, got.Kills)
	require.True(t, player.samples[1].MemoryKnown)
	require.Positive(t, player.samples[1].MemoryBytes)
	require.Greater(t, float64(player.asked[0].Allocation.MemoryBytes), player.samples[1].MemoryBytes)
	require.EqualValues(t, 100, player.asked[0].Allocation.CPUMillis, "the first size covers the peak")
}

// TestGaps holds that questions go on while nothing is recorded, and that a gap counts no more than a sample.
func TestGaps(t *testing.T) {
	t.Parallel()

	service := of("a", use(100, 100), repeated(5, use(50, 50))...)
	service.Samples[4].Time += 3600
	service.SetStretches()

	player := &scripted{answer: stay}
	got := one(t, unwarmed(), service, player.contender())

	require.InDelta(t, 5*300./86_400, got.ServiceDays, 1e-9)
	require.Len(t, player.asked, 9)
}

func TestFaultsEndARun(t *testing.T) {
	t.Parallel()

	service := of("a", use(10, 10), use(1, 1))
	contender := (&scripted{answer: stay}).contender()

	broken := func(yield func(*backtest.Series, error) bool) {
		_ = yield(service, nil) && yield(nil, errors.New("line 7 is wrong"))
	}
	_, err := backtest.Run(t.Context(), unwarmed(), "lab", broken, []backtest.Contender{contender})
	require.EqualError(t, err, "replay lab: line 7 is wrong")

	refusing := backtest.Contender{Name: "refusing", New: func(*backtest.Series) (backtest.Player, error) {
		return nil, errors.New("not today")
	}}
	_, err = backtest.Run(t.Context(), unwarmed(), "lab", source(service), []backtest.Contender{refusing})
	require.EqualError(t, err, `replay lab: refusing: service "a": not today`)

	_, err = backtest.Run(t.Context(), backtest.Config{Interval: time.Second, Delay: -1, Workers: -1}, "lab", source(), nil)
	require.ErrorContains(t, err, "interval 1s: must be whole minutes")
	require.ErrorContains(t, err, "delay -1ns")
	require.ErrorContains(t, err, "workers -1")
}
