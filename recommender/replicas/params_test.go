package replicas_test

import (
	"math"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/replicas"
	"github.com/tidemark-project/tidemark/recommender/usage"
)

func TestNeeds(t *testing.T) {
	t.Parallel()

	r := rule(t)
	require.Equal(t, replicas.Name, r.Name())
	require.Equal(t, usage.Request{Windows: []time.Duration{short, long}, Totals: true}, r.Needs())

	same := rule(t, func(p *replicas.Params) { p.DownWindow = p.UpWindow })
	require.Equal(t, []time.Duration{short}, same.Needs().Windows)
	require.EqualValues(t, 12, recommender.Decide(same, input(of(4_000, 16, 20), 36_000, gib)).Recommended.Replicas)
}

func TestEveryProblemIsReported(t *testing.T) {
	t.Parallel()
	require.NoError(t, replicas.Defaults().Validate())

	for field, changes := range map[string][]func(*replicas.Params){
		"cpu_target": {
			func(p *replicas.Params) { p.CPUTarget = 1.1 }, func(p *replicas.Params) { p.CPUTarget = math.NaN() },
			func(p *replicas.Params) { p.CPUTarget, p.MemoryTarget = 0, 0 },
		},
		"memory_target":  {func(p *replicas.Params) { p.MemoryTarget = -0.1 }},
		"up_window":      {func(p *replicas.Params) { p.UpWindow = 15 * time.Minute }, func(p *replicas.Params) { p.UpWindow = 0 }},
		"down_window":    {func(p *replicas.Params) { p.DownWindow = 0 }, func(p *replicas.Params) { p.DownWindow = 15 * 24 * time.Hour }},
		"tolerance":      {func(p *replicas.Params) { p.Tolerance = 1 }, func(p *replicas.Params) { p.Tolerance = math.NaN() }},
		"spare_replicas": {func(p *replicas.Params) { p.SpareReplicas = -1 }},
		"joint":          {func(p *replicas.Params) { p.Joint, p.CPUCost, p.MemoryCost = true, 0, 0 }},
		"cpu_cost":       {func(p *replicas.Params) { p.CPUCost = -1 }, func(p *replicas.Params) { p.CPUCost = math.Inf(1) }},
		"memory_cost":    {func(p *replicas.Params) { p.MemoryCost = math.NaN() }},
		"min_coverage":   {func(p *replicas.Params) { p.MinCoverage = 0 }},
		"max_sample_age": {func(p *replicas.Params) { p.MaxSampleAge = 0 }},
	} {
		for _, change := range changes {
			params := replicas.Defaults()
			change(&params)

			_, err := replicas.New(params)

			var problem *policy.FieldError

			require.ErrorAs(t, err, &problem, field)
			require.Equal(t, field, problem.Field)
		}
	}

	var joined interface{ Unwrap() []error }

	require.ErrorAs(t, replicas.Params{}.Validate(), &joined)
	require.Greater(t, len(joined.Unwrap()), 3, "all at once")
}

func TestEveryParameterIsExplained(t *testing.T) {
	t.Parallel()

	got := recommender.Decide(rule(t), input(of(4_000, 16, 3), 6_000, gib))
	require.Len(t, got.Explanation.Parameters, reflect.TypeFor[replicas.Params]().NumField())
}
