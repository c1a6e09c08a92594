package threshold_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/size"
	"github.com/tidemark-project/tidemark/recommender/threshold"
	"github.com/tidemark-project/tidemark/recommender/usage"
)

func TestNeeds(t *testing.T) {
	t.Parallel()

	r := rule(t)
	require.Equal(t, threshold.Name, r.Name())
	require.Equal(t, usage.Request{Windows: []time.Duration{newest}, Totals: true}, r.Needs())

	both := rule(t, withMemory, func(p *threshold.Params) { p.Memory.SustainedFor = halfHour })
	require.Equal(t, []time.Duration{newest, halfHour}, both.Needs().Windows)
}

func TestEveryProblemIsReported(t *testing.T) {
	t.Parallel()
	require.NoError(t, threshold.Defaults().Validate())

	with := func(change func(*threshold.Template)) func(*threshold.Params) {
		return func(p *threshold.Params) {
			broken := large
			change(&broken)
			p.Templates = []threshold.Template{small, broken}
		}
	}

	for field, changes := range map[string][]func(*threshold.Params){
		"axis": {func(p *threshold.Params) { p.Axis = "sideways" }},
		"cpu":  {func(p *threshold.Params) { p.CPU = threshold.Rule{} }},
		"cpu.max": {
			func(p *threshold.Params) { p.CPU.Max = 80 }, func(p *threshold.Params) { p.CPU.Max = -0.1 },
			func(p *threshold.Params) { p.CPU.Max = math.NaN() },
		},
		"cpu.min":              {func(p *threshold.Params) { p.CPU.Min = 0.81 }, func(p *threshold.Params) { p.CPU.Min = -1 }},
		"cpu.sustained_for":    {func(p *threshold.Params) { p.CPU.SustainedFor = time.Minute }},
		"memory.max":           {func(p *threshold.Params) { p.Memory.Max = 1.1 }},
		"memory.min":           {func(p *threshold.Params) { p.Memory.Min = math.NaN() }},
		"memory.sustained_for": {func(p *threshold.Params) { p.Memory.SustainedFor = 15 * 24 * time.Hour }},
		"step":                 {func(p *threshold.Params) { p.Step = 0 }},
		"size_step":            {func(p *threshold.Params) { p.SizeStep = 1 }},
		"scale_out_interval":   {func(p *threshold.Params) { p.ScaleOutInterval = -1 }},
		"scale_in_interval":    {func(p *threshold.Params) { p.ScaleInInterval = -1 }},
		"max_sample_age":       {func(p *threshold.Params) { p.MaxSampleAge = 0 }},
		"min_coverage":         {func(p *threshold.Params) { p.MinCoverage = 1.1 }},
		"templates":            {func(p *threshold.Params) { p.Axis, p.Templates = threshold.AxisSize, []threshold.Template{small} }},
		"templates[1].name": {
			with(func(t *threshold.Template) { t.Name = "" }), with(func(t *threshold.Template) { t.Name = "small" }),
		},
		"templates[1].cpu": {
			with(func(t *threshold.Template) { t.Resources.CPUMillis = 0 }),
			with(func(t *threshold.Template) { t.Resources = small.Resources }),
		},
		"templates[1].memory":  {with(func(t *threshold.Template) { t.Resources.MemoryBytes = size.MaxMemoryBytes + 1 })},
		"templates[1].storage": {with(func(t *threshold.Template) { t.StorageBytes = -1 })},
		"templates[1].count":   {with(func(t *threshold.Template) { t.Count = -1 })},
	} {
		for _, change := range changes {
			params := threshold.Defaults()
			change(&params)

			_, err := threshold.New(params)

			var problem *policy.FieldError

			require.ErrorAs(t, err, &problem, field)
			require.Equal(t, field, problem.Field)
		}
	}

	var joined interface{ Unwrap() []error }

	require.ErrorAs(t, threshold.Params{Step: -1}.Validate(), &joined)
	require.Greater(t, len(joined.Unwrap()), 4, "all at once")
}

func TestALowerThresholdNeedsNoUpperOne(t *testing.T) {
	t.Parallel()

	shrinkOnly := rule(t, func(p *threshold.Params) { p.CPU.Max = 0 })
	require.EqualValues(t, 3, recommender.Decide(shrinkOnly, input(of(4_000, 16, 3), 0.99, 0.5)).Recommended.Replicas)
	require.EqualValues(t, 2, recommender.Decide(shrinkOnly, input(of(4_000, 16, 3), 0.1, 0.5)).Recommended.Replicas)
}

// What a caller does with its templates afterwards does not change the recommender.
func TestTemplatesAreCopied(t *testing.T) {
	t.Parallel()

	shared := []threshold.Template{small}
	r := rule(t, func(p *threshold.Params) { p.Templates = shared })
	shared[0].Count = 1
	require.EqualValues(t, 4, recommender.Decide(r, input(of(4_000, 16, 3), 0.9, 0.5)).Recommended.Replicas)
}

func TestParametersAreExplained(t *testing.T) {
	t.Parallel()

	shown := map[string]float64{}
	for _, p := range recommender.Decide(rule(t, withMemory), input(of(4_000, 16, 3), 0.5, 0.5)).Explanation.Parameters {
		shown[p.Name] = p.Value
	}

	require.Len(t, shown, 12)
	require.InDelta(t, 300, shown["scale_out_interval_seconds"], 0)
	require.InDelta(t, 0.9, shown["memory_max_share"], 0)
}
