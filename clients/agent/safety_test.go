package agent

import (
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/types/known/timestamppb"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// dated says when the usage data behind a recommendation was taken.
func dated(at time.Time, r *tidemarkv1.Recommendation) *tidemarkv1.Recommendation {
	r.DataTime = timestamppb.New(at)

	return r
}

// sized changes what a service gets.
func sized(r *tidemarkv1.Recommendation, change func(gets *tidemarkv1.Size)) *tidemarkv1.Recommendation {
	change(r.GetRecommended())

	return r
}

func unsized(r *tidemarkv1.Recommendation) *tidemarkv1.Recommendation {
	r.Allocation = nil

	return r
}

func TestWhatIsOutdated(t *testing.T) {
	t.Parallel()

	now := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	old := now.Add(-time.Hour - time.Second)

	expired := dated(now, advice("a/x", 1, 2))
	expired.ExpireTime = timestamppb.New(now)

	judged := func(freshness tidemarkv1.Freshness) *tidemarkv1.Recommendation {
		r := dated(now, advice("a/x", 1, 2))
		r.Freshness = freshness

		return r
	}

	mixed := sized(advice("a/x", 1, 2), func(gets *tidemarkv1.Size) { gets.MemoryBytes = 1 << 30 })

	for name, c := range map[string]struct {
		recommendation *tidemarkv1.Recommendation
		maxAge         time.Duration
		want           string
	}{
		"fresh":                       {dated(now, advice("a/x", 2, 1)), 0, ""},
		"expired":                     {expired, 0, "it expired at 2026-12-01T12:00:00Z"},
		"expired, of any age":         {expired, -1, "it expired at 2026-12-01T12:00:00Z"},
		"old":                         {dated(old, advice("a/x", 1, 2)), 0, "the newest usage data behind it is 1h0m1s old, more than 1h0m0s"},
		"as old as it may be":         {dated(old, advice("a/x", 1, 2)), time.Hour + time.Second, ""},
		"of any age":                  {dated(old, advice("a/x", 2, 1)), -1, ""},
		"from a clock that is ahead":  {dated(now.Add(time.Minute), advice("a/x", 2, 1)), 0, ""},
		"down without data":           {advice("a/x", 2, 1), 0, "it lowers the size, and no usage data is behind it"},
		"down and up without data":    {mixed, 0, "it lowers the size, and no usage data is behind it"},
		"from nowhere without data":   {unsized(advice("a/x", 1, 2)), 0, "it lowers the size, and no usage data is behind it"},
		"up without data":             {advice("a/x", 1, 2), 0, ""},
		"down without data, any age":  {advice("a/x", 2, 1), -1, ""},
		"old, but only to be shown":   {moded(tidemarkv1.Mode_MODE_OBSERVE_ONLY, dated(old, advice("a/x", 2, 1))), 0, ""},
		"no number of replicas":       {sized(advice("a/x", 1, 2), func(gets *tidemarkv1.Size) { gets.Replicas = 0 }), 0, ""},
		"fewer replicas without data": {sized(advice("a/x", 1, 2), func(gets *tidemarkv1.Size) { gets.Replicas = 2 }), 0, "it lowers the size, and no usage data is behind it"},
		"expired, says the server":    {judged(tidemarkv1.Freshness_FRESHNESS_EXPIRED), -1, "it has expired, as the server says"},
		"stale, says the server":      {judged(tidemarkv1.Freshness_FRESHNESS_STALE), 0, "it does not show the present, as the server says"},
		"stale, of any age":           {judged(tidemarkv1.Freshness_FRESHNESS_STALE), -1, ""},
		"fresh, says the server":      {judged(tidemarkv1.Freshness_FRESHNESS_FRESH), 0, ""},
	} {
		a := New(Config{MaxDataAge: c.maxAge}, slog.New(slog.DiscardHandler))
		require.Equal(t, c.want, a.outdated(c.recommendation, now), name)
	}
}

func TestWhatIsForbidden(t *testing.T) {
	t.Parallel()

	const (
		unsaid  = tidemarkv1.DisruptionClass_DISRUPTION_CLASS_UNSPECIFIED
		none    = tidemarkv1.DisruptionClass_DISRUPTION_CLASS_NONE
		rolling = tidemarkv1.DisruptionClass_DISRUPTION_CLASS_ROLLING
		restart = tidemarkv1.DisruptionClass_DISRUPTION_CLASS_RESTART
	)

	change := func(allowed tidemarkv1.DisruptionClass, replicas int32) *tidemarkv1.Recommendation {
		r := advice("a/x", 1, 2)
		r.Disruption = allowed
		r.Allocation.Replicas, r.Recommended.Replicas = replicas, replicas

		return r
	}
	grow := sized(advice("a/x", 1, 1), func(gets *tidemarkv1.Size) { gets.Replicas = 5 })
	grow.Disruption = none
	single := "the service has one replica"

	for name, c := range map[string]struct {
		does           tidemarkv1.DisruptionClass
		recommendation *tidemarkv1.Recommendation
		want           string
	}{
		"nothing is known of the actuator": {unsaid, change(none, 1), ""},
		"in place, in place only":          {none, change(none, 1), ""},
		"rolling, in place only":           {rolling, change(none, 3), `its policy allows disruption "none", and changes are made with "rolling" here`},
		"rolling, rolling":                 {rolling, change(rolling, 3), ""},
		"rolling, one replica":             {rolling, change(rolling, 1), single},
		"rolling, replicas not known":      {rolling, change(rolling, 0), ""},
		"rolling, one may be restarted":    {rolling, change(restart, 1), ""},
		"restart, rolling":                 {restart, change(rolling, 3), `its policy allows disruption "rolling", and changes are made with "restart" here`},
		"restart, restart":                 {restart, change(restart, 1), ""},
		"rolling, the policy does not say": {rolling, change(unsaid, 3), ""},
		"restart, the policy does not say": {restart, change(unsaid, 3), `its policy allows disruption "rolling"`},
		"only more replicas":               {restart, grow, ""},
		"the size is not known":            {rolling, unsized(change(none, 3)), `its policy allows disruption "none"`},
		"only to be shown":                 {restart, moded(tidemarkv1.Mode_MODE_OBSERVE_ONLY, change(none, 1)), ""},
		"down, up only":                    {unsaid, moded(tidemarkv1.Mode_MODE_UP_ONLY, advice("a/x", 2, 1)), "it lowers the size although its mode is up only"},
		"up, up only":                      {unsaid, moded(tidemarkv1.Mode_MODE_UP_ONLY, advice("a/x", 1, 2)), ""},
	} {
		a := New(Config{Disruption: c.does}, slog.New(slog.DiscardHandler))
		got := a.forbidden(c.recommendation)

		if c.want == "" {
			require.Empty(t, got, name)
		} else {
			require.Contains(t, got, c.want, name)
		}
	}
}
