package policy_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/size"
)

func TestValidateNamesTheFieldAndTheRemedy(t *testing.T) {
	t.Parallel()

	for name, c := range map[string]struct {
		change func(*policy.Policy)
		says   string
	}{
		"no name":        {func(p *policy.Policy) { p.Name = "" }, "name: must not be empty"},
		"mode":           {func(p *policy.Policy) { p.Mode = "auto" }, `mode: "auto" is not a mode: use one of ["enforce" "observe-only" "up-only" "off"]`},
		"crossed bounds": {func(p *policy.Policy) { p.Min.CPUMillis = 65_000 }, "min.cpu: 65 is above the maximum 64"},
		"negative":       {func(p *policy.Policy) { p.Max.MemoryBytes = -1 }, "max.memory: -1 must be between 0 (no bound)"},
		"negative min":   {func(p *policy.Policy) { p.Min.MemoryBytes = -1 }, "min.memory: -1 must be between 0 (no bound) and 1Pi"},
		"ratio unit":     {func(p *policy.Policy) { p.MemoryPerCoreBytes = 4 }, "memory_per_core: 4 must be 0 (no ratio) or between 1Mi and 1Pi"},
		"step CPU":       {func(p *policy.Policy) { p.StepCPUMillis = -1 }, "step.cpu: -1m must be"},
		"step memory":    {func(p *policy.Policy) { p.StepMemoryBytes = -1 }, "step.memory: -1 must be"},
		"both":           {func(p *policy.Policy) { p.Catalogue = ladder(2) }, "catalogue: excludes step: keep one of the two"},
		"steps off the ratio": {
			func(p *policy.Policy) { p.MemoryPerCoreBytes = 4 * gib },
			"step: the steps 250m CPU and 512Mi are off the ratio of 4Gi per core",
		},
		"no multiple in bounds": {
			func(p *policy.Policy) { p.Min.CPUMillis, p.Max.CPUMillis = 260, 270 },
			"max: 270m CPU, 256Gi is below the smallest legal size 500m CPU, 512Mi",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			p := policy.Default()
			c.change(&p)

			err := p.Validate()
			require.ErrorContains(t, err, c.says)

			var problem *policy.FieldError
			require.ErrorAs(t, err, &problem)
			require.NotEmpty(t, problem.Field)
		})
	}
}

func TestValidateCatalogue(t *testing.T) {
	t.Parallel()

	for name, c := range map[string]struct {
		policy policy.Policy
		says   string
	}{
		"unsorted":      {policy.Policy{Catalogue: ladder(4, 2)}, "catalogue[1]: 2 CPU, 8Gi must come after 4 CPU, 16Gi"},
		"twice":         {policy.Policy{Catalogue: ladder(2, 2)}, "catalogue[1]: 2 CPU, 8Gi is there already"},
		"empty entry":   {policy.Policy{Catalogue: ladder(0, 2)}, "catalogue[0]: 0 CPU, 0 must have"},
		"off the ratio": {policy.Policy{Catalogue: []size.Resources{of(2000, 16)}, MemoryPerCoreBytes: 4 * gib}, "catalogue[0]: 2 CPU, 16Gi is off the ratio of 4Gi per core"},
		"out of bounds": {policy.Policy{Catalogue: ladder(2, 32), Min: of(3000, 1), Max: of(8000, 32)}, "catalogue: no entry lies between"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			c.policy.Name = name
			require.ErrorContains(t, c.policy.Validate(), c.says)
		})
	}
}

func TestValidateReportsEverythingAtOnce(t *testing.T) {
	t.Parallel()

	p := policy.Policy{Mode: "x", Min: of(-1, 1), StepCPUMillis: -1}
	err := p.Validate()

	for _, field := range []string{"name:", "mode:", "min.cpu:", "step.cpu:"} {
		require.ErrorContains(t, err, field)
	}
}

func TestValidateAcceptsThePublishedShape(t *testing.T) {
	t.Parallel()

	p := policy.Policy{
		Name: "lockstep", MemoryPerCoreBytes: 4 * gib, StepCPUMillis: 1000, StepMemoryBytes: 4 * gib,
		Min: size.Resources{MemoryBytes: 8 * gib}, Max: size.Resources{MemoryBytes: 356 * gib},
	}
	require.NoError(t, p.Validate())
}

func TestContentHash(t *testing.T) {
	t.Parallel()

	base := policy.Default()

	same := base
	same.Name, same.Hash = "other", "other"
	require.Equal(t, base.ContentHash(), same.ContentHash(), "name and hash are not content")

	same.Mode = ""
	require.Equal(t, base.ContentHash(), same.ContentHash(), "an empty mode means the default one")

	// Stored recommendations carry the hash: a release must not change it.
	require.Equal(t, "3cc7147a6a09dde9", base.ContentHash())

	seen := map[string]bool{base.ContentHash(): true}

	for _, change := range []func(*policy.Policy){
		func(p *policy.Policy) { p.Min.CPUMillis++ },
		func(p *policy.Policy) { p.Min.MemoryBytes++ },
		func(p *policy.Policy) { p.Max.CPUMillis++ },
		func(p *policy.Policy) { p.Max.MemoryBytes++ },
		func(p *policy.Policy) { p.StepCPUMillis++ },
		func(p *policy.Policy) { p.StepMemoryBytes++ },
		func(p *policy.Policy) { p.MemoryPerCoreBytes++ },
		func(p *policy.Policy) { p.Mode = policy.ModeOff },
		func(p *policy.Policy) { p.Catalogue = ladder(2, 4) },
		func(p *policy.Policy) { p.Catalogue = ladder(4, 2) },
	} {
		p := base
		change(&p)
		require.False(t, seen[p.ContentHash()])
		seen[p.ContentHash()] = true
	}
}
