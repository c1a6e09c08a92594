package policy_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/size"
)

const gib = int64(1) << 30

// of makes Resources from millicores and GiB.
func of(cpuMillis, gibibytes int64) size.Resources {
	return size.Resources{CPUMillis: cpuMillis, MemoryBytes: gibibytes * gib}
}

// ladder is a catalogue of 4 GiB per core.
func ladder(cores ...int64) []size.Resources {
	entries := make([]size.Resources, 0, len(cores))
	for _, c := range cores {
		entries = append(entries, of(c*1000, c*4))
	}

	return entries
}

func TestFit(t *testing.T) {
	t.Parallel()

	families := []size.Resources{of(2000, 4), of(2000, 16), of(4000, 8), of(4000, 32)}

	for name, c := range map[string]struct {
		policy    policy.Policy
		need      size.Resources
		want      size.Resources
		adjusted  []policy.Stage
		limitedOn []size.Resource
	}{
		"nothing set":            {policy.Policy{}, of(123, 7), of(123, 7), nil, nil},
		"ratio follows memory":   {policy.Policy{MemoryPerCoreBytes: 4 * gib}, of(3000, 20), of(5000, 20), []policy.Stage{policy.StageRatio}, nil},
		"ratio follows CPU":      {policy.Policy{MemoryPerCoreBytes: 4 * gib}, of(3000, 2), of(3000, 12), []policy.Stage{policy.StageRatio}, nil},
		"step, each alone":       {policy.Policy{StepCPUMillis: 1000, StepMemoryBytes: 4 * gib}, of(1001, 4), of(2000, 4), []policy.Stage{policy.StageStep}, nil},
		"step on the ratio":      {policy.Policy{MemoryPerCoreBytes: 4 * gib, StepCPUMillis: 1000}, of(2500, 3), of(3000, 12), []policy.Stage{policy.StageRatio, policy.StageStep, policy.StageStep}, nil},
		"memory step on ratio":   {policy.Policy{MemoryPerCoreBytes: 4 * gib, StepMemoryBytes: 2 * gib}, of(2600, 3), of(3000, 12), []policy.Stage{policy.StageRatio, policy.StageStep, policy.StageStep}, nil},
		"docs example":           {policy.Policy{Catalogue: ladder(2, 4, 8, 16)}, of(7166, 8), of(8000, 32), []policy.Stage{policy.StageCatalogue, policy.StageCatalogue}, nil},
		"memory picks the entry": {policy.Policy{Catalogue: ladder(2, 4, 8)}, of(500, 30), of(8000, 32), []policy.Stage{policy.StageCatalogue, policy.StageCatalogue}, nil},
		"exact entry":            {policy.Policy{Catalogue: ladder(2, 4, 8)}, of(4000, 16), of(4000, 16), nil, nil},
		"above the largest":      {policy.Policy{Catalogue: ladder(2, 4, 8)}, of(9000, 4), of(8000, 32), []policy.Stage{policy.StageCatalogue, policy.StageCatalogue}, []size.Resource{size.CPU}},
		"families, by memory":    {policy.Policy{Catalogue: families}, of(1000, 10), of(2000, 16), []policy.Stage{policy.StageCatalogue, policy.StageCatalogue}, nil},
		"families, by CPU":       {policy.Policy{Catalogue: families}, of(3000, 4), of(4000, 8), []policy.Stage{policy.StageCatalogue, policy.StageCatalogue}, nil},
		"no entry has both, memory first": {
			policy.Policy{Catalogue: []size.Resources{of(2000, 16), of(4000, 8)}},
			of(3000, 10), of(2000, 16),
			[]policy.Stage{policy.StageCatalogue, policy.StageCatalogue},
			[]size.Resource{size.CPU},
		},
		"maximum between entries": {
			policy.Policy{Catalogue: ladder(2, 4, 8), Max: of(7000, 100)},
			of(5000, 4), of(4000, 16),
			[]policy.Stage{policy.StageCatalogue, policy.StageCatalogue, policy.StageBounds, policy.StageBounds},
			[]size.Resource{size.CPU},
		},
		"maximum that costs nothing": {
			policy.Policy{StepCPUMillis: 1000, Max: of(2500, 100)},
			of(1500, 4), of(2000, 4),
			[]policy.Stage{policy.StageStep},
			nil,
		},
		"minimum between entries": {
			policy.Policy{Catalogue: ladder(2, 4, 8), Min: of(3000, 1)},
			of(100, 1), of(4000, 16),
			[]policy.Stage{policy.StageCatalogue, policy.StageCatalogue, policy.StageBounds, policy.StageBounds},
			nil,
		},
		"bounds win over the catalogue": {
			policy.Policy{Catalogue: ladder(2, 32), Min: of(4000, 16), Max: of(8000, 32)},
			of(6000, 4), of(6000, 16),
			[]policy.Stage{policy.StageCatalogue, policy.StageCatalogue, policy.StageBounds, policy.StageBounds},
			nil,
		},
		"bounds win over the step": {
			policy.Policy{StepCPUMillis: 1000, Min: of(2100, 1), Max: of(2900, 9)},
			of(500, 4), of(2900, 4),
			[]policy.Stage{policy.StageStep, policy.StageBounds},
			nil,
		},
		"memory maximum moves both": {
			policy.Policy{MemoryPerCoreBytes: 4 * gib, Max: size.Resources{MemoryBytes: 64 * gib}},
			of(20000, 8), of(16000, 64),
			[]policy.Stage{policy.StageRatio, policy.StageBounds, policy.StageBounds},
			[]size.Resource{size.CPU},
		},
		"memory minimum moves both": {
			policy.Policy{MemoryPerCoreBytes: 4 * gib, Min: size.Resources{MemoryBytes: 10 * gib}},
			of(1000, 1), of(2500, 10),
			[]policy.Stage{policy.StageRatio, policy.StageBounds, policy.StageBounds},
			nil,
		},
		"bounds off the ratio win": {
			policy.Policy{MemoryPerCoreBytes: 4 * gib, Min: of(1000, 16), Max: of(2000, 32)},
			of(500, 1), of(2000, 16),
			[]policy.Stage{policy.StageRatio, policy.StageBounds, policy.StageBounds},
			nil,
		},
		"pinned":       {policy.Policy{Min: of(4000, 16), Max: of(4000, 16)}, of(9000, 1), of(4000, 16), []policy.Stage{policy.StageBounds, policy.StageBounds}, []size.Resource{size.CPU}},
		"no need":      {policy.Policy{StepCPUMillis: 250, StepMemoryBytes: gib}, of(0, 0), of(250, 1), []policy.Stage{policy.StageStep, policy.StageStep}, nil},
		"absurd need":  {policy.Policy{}, size.Resources{CPUMillis: 1 << 62, MemoryBytes: 1 << 62}, size.Resources{CPUMillis: size.MaxCPUMillis, MemoryBytes: size.MaxMemoryBytes}, nil, nil},
		"default step": {policy.Default(), of(1010, 3), of(1250, 3), []policy.Stage{policy.StageStep}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			got, adjustments := c.policy.Fit(c.need)
			require.Equal(t, c.want, got, "want %s, got %s", c.want, got)
			require.Equal(t, c.want, c.policy.Fitted(c.need))

			var (
				stages    []policy.Stage
				limitedOn []size.Resource
			)

			for _, a := range adjustments {
				stages = append(stages, a.Stage)
				if a.Limited && a.After == got.Get(a.Resource) {
					limitedOn = append(limitedOn, a.Resource)
				}
			}

			require.Equal(t, c.adjusted, stages)
			require.Subset(t, limitedOn, c.limitedOn)
			require.Subset(t, c.limitedOn, limitedOn)
		})
	}
}

func TestDefaultIsValid(t *testing.T) {
	t.Parallel()

	p := policy.Default()
	require.NoError(t, p.Validate())
	require.Equal(t, p.ContentHash(), p.Hash)
}
