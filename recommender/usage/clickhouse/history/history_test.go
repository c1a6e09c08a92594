package history_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/recommender/usage"
	"github.com/tidemark-project/tidemark/recommender/usage/clickhouse/history"
)

// noon is a clock: 12:00:30.
var noon = time.Date(2026, 3, 1, 12, 0, 30, 0, time.UTC)

const core = 1_000_000_000 // in nanocores

// told is a history to which samples are added by their age in minutes.
type told struct{ *history.History }

func tell(t *testing.T, request usage.Request) told {
	t.Helper()

	plan, err := history.NewPlan(request)
	require.NoError(t, err)

	return told{plan.New(noon.UnixMilli())}
}

func (h told) at(replica string, age int64) (history.Hour, int64) {
	minute := noon.Unix()/60 - age

	return h.Hour(replica, minute-minute%60), minute % 60
}

func (h told) cpu(replica string, age, nanos int64) {
	hour, minute := h.at(replica, age)
	hour.CPU(minute, nanos, 1)
}

func (h told) resident(replica string, age, bytes int64) {
	hour, minute := h.at(replica, age)
	hour.Resident(minute, bytes)
}

func (h told) window(t *testing.T) usage.Window {
	t.Helper()

	windows := h.Snapshot("a/b").Windows
	require.Len(t, windows, 1)

	return windows[0]
}

func hour(totals bool) usage.Request {
	return usage.Request{Windows: []time.Duration{time.Hour}, Totals: totals}
}

// Replicas are sampled at different moments. The sum is that of all, in every minute, and not only of those that happen to
// have a sample in it.
func TestTotalsOfReplicasSampledInTurns(t *testing.T) {
	for _, every := range []int64{1, 2, 5} {
		h := tell(t, hour(true))

		for age := range int64(70) {
			for i, replica := range []string{"r0", "r1", "r2"} {
				if (age+int64(i))%every == 0 {
					h.cpu(replica, age, 2*core)
					h.resident(replica, age, 100)
				}
			}
		}

		w := h.window(t)
		require.EqualValues(t, 6000, w.CPUTotalPeakMillis, every)
		require.EqualValues(t, 6000, w.CPUTotalLowMillis, every)
		require.EqualValues(t, 300, w.ResidentMemoryTotalPeakBytes, every)
		require.EqualValues(t, 300, w.ResidentMemoryTotalLowBytes, every)
		require.EqualValues(t, 2000, w.CPUPeakMillis, every)
	}
}

// The minute that is still going on has the samples of some replicas only.
func TestTotalsOfTheMinuteThatGoesOn(t *testing.T) {
	h := tell(t, hour(true))

	for age := range int64(70) {
		h.resident("r1", age, 100)

		if age > 0 {
			h.resident("r2", age, 100)
		}
	}

	w := h.window(t)
	require.EqualValues(t, 200, w.ResidentMemoryTotalPeakBytes)
	require.EqualValues(t, 200, w.ResidentMemoryTotalLowBytes, "the second one has not been sampled yet")
}

// A replica that comes back under another name is not two replicas, neither at once nor later.
func TestTotalsOfAReplicaThatWasRestarted(t *testing.T) {
	for _, restart := range []int64{0, 1, 3, 4, 30} {
		h := tell(t, hour(true))

		for age := range int64(70) {
			replica := "before"
			if age <= restart {
				replica = "after"
			}

			h.cpu(replica, age, core)
			h.resident(replica, age, 100)
		}

		w := h.window(t)
		require.EqualValues(t, 1000, w.CPUTotalPeakMillis, restart)
		require.EqualValues(t, 100, w.ResidentMemoryTotalPeakBytes, restart)
	}
}

// A replica that is gone for longer than values stand in is gone.
func TestTotalsOfAReplicaThatWentAway(t *testing.T) {
	h := tell(t, hour(true))

	for age := range int64(70) {
		h.resident("stays", age, 100)

		if age >= 20 {
			h.resident("goes", age, 50)
		}
	}

	w := h.window(t)
	require.EqualValues(t, 150, w.ResidentMemoryTotalPeakBytes)
	require.EqualValues(t, 100, w.ResidentMemoryTotalLowBytes)
}

func TestTotalsAreZeroUnlessTheyAreAskedForAndMeasured(t *testing.T) {
	h := tell(t, hour(false))
	h.cpu("r", 1, core)
	require.Zero(t, h.window(t).CPUTotalPeakMillis)

	h = tell(t, hour(true))
	require.Zero(t, h.window(t).CPUTotalLowMillis)
	require.Zero(t, h.window(t).ResidentMemoryTotalLowBytes)

	h.cpu("r", 1, 0)
	h.resident("r", 1, 0)
	require.EqualValues(t, 1, h.window(t).CPUTotalLowMillis, "idle is not unmeasured")
	require.EqualValues(t, 1, h.window(t).CPUTotalPeakMillis)
	require.EqualValues(t, 1, h.window(t).ResidentMemoryTotalLowBytes)
}

// What was in use when requests were refused, and not what the service grew to later.
func TestResidentMemoryAtRejections(t *testing.T) {
	reject := func(h told, age int64) {
		hour, minute := h.at("r1", age)
		hour.Rejections(minute*60_000+1234, 2)
	}

	h := tell(t, hour(false))
	h.resident("r1", 5, 900)
	h.resident("r1", 20, 300)
	h.resident("r2", 20, 350)
	h.resident("r1", 21, 400)
	reject(h, 20)
	require.EqualValues(t, 350, h.window(t).RejectionResidentBytes)
	require.EqualValues(t, 2, h.window(t).MemoryRejections)
	require.Equal(t, noon.Truncate(time.Minute).Add(-20*time.Minute+1234*time.Millisecond), h.window(t).NewestRejectionTime)

	h = tell(t, hour(false))
	h.resident("r1", 21, 400)
	h.resident("r1", 22, 500)
	reject(h, 20)
	require.EqualValues(t, 400, h.window(t).RejectionResidentBytes, "the minute before, when there is no sample")

	reject(h, 30)
	require.EqualValues(t, 400, h.window(t).RejectionResidentBytes, "not known is nothing")
	require.EqualValues(t, 4, h.window(t).MemoryRejections)

	h = tell(t, hour(false))
	h.resident("r1", 60, 700)
	reject(h, 59)
	require.EqualValues(t, 700, h.window(t).RejectionResidentBytes, "the minute before may be just outside the window")

	h = tell(t, hour(false))
	reject(h, 60)
	require.Zero(t, h.window(t).MemoryRejections)
	require.True(t, h.window(t).NewestRejectionTime.IsZero())
}

// Clocks of replicas may be ahead; nothing happened later than now.
func TestNewestEventIsNotLaterThanNow(t *testing.T) {
	h := tell(t, hour(false))
	hour, minute := h.at("r", 0)
	hour.Kill(minute*60_000+59_999, 5)
	hour.Rejections(minute*60_000+59_999, 5)
	require.Equal(t, noon, h.window(t).NewestOOMKillTime)
	require.Equal(t, noon, h.window(t).NewestRejectionTime)
}
