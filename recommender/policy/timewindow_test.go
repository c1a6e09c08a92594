package policy_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tidemark-project/tidemark/recommender/policy"
)

func zone(t *testing.T, name string) *time.Location {
	t.Helper()

	location, err := time.LoadLocation(name)
	require.NoError(t, err)

	return location
}

func TestTimeWindow(t *testing.T) {
	t.Parallel()

	berlin, york := zone(t, "Europe/Berlin"), zone(t, "America/New_York")
	workdays := []time.Weekday{time.Monday, time.Tuesday, time.Wednesday, time.Thursday, time.Friday}
	office := policy.TimeWindow{Days: workdays, From: 9 * time.Hour, To: 17 * time.Hour}
	night := policy.TimeWindow{Days: workdays, From: 22 * time.Hour, To: 6 * time.Hour}
	nightIn := func(location *time.Location) policy.TimeWindow {
		w := night
		w.Location = location

		return w
	}
	twoToThree := policy.TimeWindow{From: 2 * time.Hour, To: 3 * time.Hour, Location: berlin}

	for _, c := range []struct {
		name   string
		window policy.TimeWindow
		at     string
		in     bool
	}{
		{"the start is in", office, "2026-11-27T09:00:00Z", true},
		{"just before the start", office, "2026-11-27T08:59:59Z", false},
		{"the last second", office, "2026-11-27T16:59:59.999Z", true},
		{"the end is out", office, "2026-11-27T17:00:00Z", false},
		{"not on a Saturday", office, "2026-11-28T12:00:00Z", false},

		{"Friday night", night, "2026-11-27T22:00:00Z", true},
		{"over midnight on Saturday morning", night, "2026-11-28T05:59:59Z", true},
		{"ends on Saturday morning", night, "2026-11-28T06:00:00Z", false},
		{"Saturday night does not begin", night, "2026-11-28T23:00:00Z", false},
		{"Monday morning belongs to Sunday", night, "2026-11-30T01:00:00Z", false},
		{"in the afternoon", night, "2026-11-27T15:00:00Z", false},

		{"Berlin is ahead", nightIn(berlin), "2026-11-27T21:00:00Z", true},
		{"Berlin is ahead in the morning", nightIn(berlin), "2026-11-28T05:00:00Z", false},
		{"New York is behind", nightIn(york), "2026-11-28T02:59:59Z", false},
		{"New York on its Friday", nightIn(york), "2026-11-28T03:00:00Z", true},

		{"a window of a day from noon", policy.TimeWindow{Days: workdays[:1], From: 12 * time.Hour, To: 12 * time.Hour}, "2026-12-01T11:59:00Z", true},
		{"which ends at noon", policy.TimeWindow{Days: workdays[:1], From: 12 * time.Hour, To: 12 * time.Hour}, "2026-12-01T12:00:00Z", false},
		{"until midnight", policy.TimeWindow{Days: workdays[:1], From: 12 * time.Hour, To: 24 * time.Hour}, "2026-11-30T23:59:59Z", true},
		{"until midnight and not on", policy.TimeWindow{Days: workdays[:1], From: 12 * time.Hour}, "2026-12-01T00:00:00Z", false},
		{"the zero window is always", policy.TimeWindow{}, "2026-11-27T15:00:00Z", true},

		// 29 March 2026: the clocks go from 02:00 CET to 03:00 CEST, so there is no hour from two to three.
		{"before the hour that is left out", twoToThree, "2026-03-29T00:59:59Z", false},
		{"the hour that is left out", twoToThree, "2026-03-29T01:00:00Z", false},
		{"a night that is an hour short begins", nightIn(berlin), "2026-03-27T21:00:00Z", true},
		{"six in summer time is four in UTC", policy.TimeWindow{From: 22 * time.Hour, To: 6 * time.Hour, Location: berlin}, "2026-03-29T03:59:59Z", true},
		{"and then it ends", policy.TimeWindow{From: 22 * time.Hour, To: 6 * time.Hour, Location: berlin}, "2026-03-29T04:00:00Z", false},

		// 25 October 2026: the clocks go from 03:00 CEST back to 02:00 CET, so the hour from two to three comes twice.
		{"the hour the first time", twoToThree, "2026-10-25T00:30:00Z", true},
		{"the hour the second time", twoToThree, "2026-10-25T01:30:00Z", true},
		{"after the hour came twice", twoToThree, "2026-10-25T02:00:00Z", false},
	} {
		at, err := time.Parse(time.RFC3339Nano, c.at)
		require.NoError(t, err)
		require.Equal(t, c.in, c.window.Contains(at), c.name)
	}
}

func TestInAny(t *testing.T) {
	t.Parallel()

	at := time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)
	morning, noon := policy.TimeWindow{From: time.Hour, To: 2 * time.Hour}, policy.TimeWindow{From: 12 * time.Hour, To: 13 * time.Hour}

	require.True(t, policy.InAny([]policy.TimeWindow{morning, noon}, at))
	require.False(t, policy.InAny([]policy.TimeWindow{morning}, at))
	require.False(t, policy.InAny(nil, at))
}

// TestAWindowAndTheRestOfTheDayAreTheWholeDay holds in every zone and through every change of the clocks.
func TestAWindowAndTheRestOfTheDayAreTheWholeDay(t *testing.T) {
	t.Parallel()

	zones := []*time.Location{nil, zone(t, "Europe/Berlin"), zone(t, "America/New_York"), zone(t, "Australia/Lord_Howe"), zone(t, "Asia/Kathmandu")}

	rapid.Check(t, func(t *rapid.T) {
		from := time.Duration(rapid.IntRange(0, 1439).Draw(t, "from")) * time.Minute
		to := time.Duration(rapid.IntRange(0, 1439).Filter(func(m int) bool { return time.Duration(m)*time.Minute != from }).Draw(t, "to")) * time.Minute
		location := rapid.SampledFrom(zones).Draw(t, "zone")
		at := time.Unix(rapid.Int64Range(0, 4e9).Draw(t, "at"), 0)

		window := policy.TimeWindow{From: from, To: to, Location: location}
		rest := policy.TimeWindow{From: to, To: from, Location: location}
		require.NotEqual(t, window.Contains(at), rest.Contains(at))
	})
}
