package percentile_test

import (
	"math"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/percentile"
	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/usage"
)

func TestNeeds(t *testing.T) {
	t.Parallel()

	r := rule(t)
	require.Equal(t, percentile.Name, r.Name())

	needs := r.Needs()
	require.Equal(t, []time.Duration{day}, needs.Windows)
	require.False(t, needs.Totals)
	require.Equal(t, 8*day, needs.Histograms.Span)
	require.Equal(t, usage.HistogramShape{
		Buckets: usage.MemoryBuckets(), Decays: []usage.Decay{{HalfLife: day, Share: 1}}, PeakInterval: day,
	}, needs.Histograms.Memory)
	require.Equal(t, usage.HistogramShape{
		Buckets: usage.CPUBuckets(), Decays: []usage.Decay{{HalfLife: day, Share: 1}},
	}, needs.Histograms.CPU)
}

func TestEveryProblemIsReported(t *testing.T) {
	t.Parallel()
	require.NoError(t, percentile.Defaults().Validate())

	for field, changes := range map[string][]func(*percentile.Params){
		"half_life":         {func(p *percentile.Params) { p.HalfLife = 0 }},
		"span":              {func(p *percentile.Params) { p.Span = 90 * time.Minute }, func(p *percentile.Params) { p.Span = 15 * day }},
		"peak_interval":     {func(p *percentile.Params) { p.PeakInterval = -1 }, func(p *percentile.Params) { p.PeakInterval = 9 * day }},
		"lower_percentile":  {func(p *percentile.Params) { p.LowerPercentile = 0 }},
		"upper_percentile":  {func(p *percentile.Params) { p.UpperPercentile = 1.01 }},
		"cpu_percentile":    {func(p *percentile.Params) { p.CPUPercentile = 0.4 }, func(p *percentile.Params) { p.CPUPercentile = math.NaN() }},
		"memory_percentile": {func(p *percentile.Params) { p.MemoryPercentile = 0.96 }},
		"margin":            {func(p *percentile.Params) { p.Margin = -0.1 }, func(p *percentile.Params) { p.Margin = math.Inf(1) }},
		"oom_ratio":         {func(p *percentile.Params) { p.OOMRatio = 0.9 }},
		"oom_min":           {func(p *percentile.Params) { p.OOMMinBytes = -1 }},
		"min_cpu":           {func(p *percentile.Params) { p.MinCPUMillis = -1 }},
		"min_memory":        {func(p *percentile.Params) { p.MinMemoryBytes = -1 }},
		"min_coverage":      {func(p *percentile.Params) { p.MinCoverage = 0 }},
		"max_sample_age":    {func(p *percentile.Params) { p.MaxSampleAge = 0 }},
		"samples_per_day":   {func(p *percentile.Params) { p.SamplesPerDay = 0 }},
	} {
		for _, change := range changes {
			params := percentile.Defaults()
			change(&params)

			_, err := percentile.New(params)

			var problem *policy.FieldError

			require.ErrorAs(t, err, &problem, field)
			require.Equal(t, field, problem.Field)
		}
	}

	err := percentile.Params{}.Validate()

	var joined interface{ Unwrap() []error }

	require.ErrorAs(t, err, &joined)
	require.Greater(t, len(joined.Unwrap()), 5, "all at once")
}

func TestEveryParameterIsExplained(t *testing.T) {
	t.Parallel()

	got := recommender.Decide(rule(t), steady(1_000, 4e9))
	require.Len(t, got.Explanation.Parameters, reflect.TypeFor[percentile.Params]().NumField())
}
