package policy_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/size"
)

func TestValidateChange(t *testing.T) {
	t.Parallel()

	floor := policy.Floor{Window: 7 * 24 * time.Hour, CPUUtilisation: 0.75, MemoryMultiplier: 1.1}
	change := func(change func(*policy.Floor)) policy.Floor {
		changed := floor
		change(&changed)

		return changed
	}
	window := func(w policy.TimeWindow) []policy.TimeWindow { return []policy.TimeWindow{{}, w} }

	for name, c := range map[string]struct {
		set  func(*policy.Policy)
		says string
	}{
		"negative least replicas": {func(p *policy.Policy) { p.MinReplicas = -1 }, "min.replicas: -1 must be between 0 (no bound) and 1000000"},
		"too many replicas":       {func(p *policy.Policy) { p.MaxReplicas = size.MaxReplicas + 1 }, "max.replicas: 1000001 must be between 0 (no bound) and 1000000"},
		"crossed replicas":        {func(p *policy.Policy) { p.MinReplicas, p.MaxReplicas = 3, 2 }, "min.replicas: 3 is above the maximum 2"},

		"floor not in buckets":  {func(p *policy.Policy) { p.Floor = change(func(f *policy.Floor) { f.Window = 15 * time.Minute }) }, "floor.window: 15m0s must be 0 (no floor) or a multiple of 10 minutes up to 14 days"},
		"negative floor":        {func(p *policy.Policy) { p.Floor = change(func(f *policy.Floor) { f.Window = -10 * time.Minute }) }, "floor.window: -10m0s must be"},
		"floor beyond the data": {func(p *policy.Policy) { p.Floor = change(func(f *policy.Floor) { f.Window = 15 * 24 * time.Hour }) }, "floor.window: 360h0m0s must be"},
		"floor without CPU":     {func(p *policy.Policy) { p.Floor = change(func(f *policy.Floor) { f.CPUUtilisation = 0 }) }, "floor.cpu_utilisation: 0 must be above 0 and at most 1 (100%)"},
		"floor in per cent":     {func(p *policy.Policy) { p.Floor = change(func(f *policy.Floor) { f.CPUUtilisation = 75 }) }, "floor.cpu_utilisation: 75 must be"},
		"floor NaN":             {func(p *policy.Policy) { p.Floor = change(func(f *policy.Floor) { f.CPUUtilisation = math.NaN() }) }, "floor.cpu_utilisation: NaN must be"},
		"floor below the peak":  {func(p *policy.Policy) { p.Floor = change(func(f *policy.Floor) { f.MemoryMultiplier = 0.9 }) }, "floor.memory_multiplier: 0.9 must be between 1 and 10"},
		"floor multiplier NaN":  {func(p *policy.Policy) { p.Floor = change(func(f *policy.Floor) { f.MemoryMultiplier = math.NaN() }) }, "floor.memory_multiplier: NaN"},

		"negative step up":     {func(p *policy.Policy) { p.StepUp.Share = -0.1 }, "max_step.up.percent: -0.1 must be between 0 (none) and 100 (10000%)"},
		"step up NaN":          {func(p *policy.Policy) { p.StepUp.Share = math.NaN() }, "max_step.up.percent: NaN"},
		"more than all":        {func(p *policy.Policy) { p.StepDown.Share = 1.1 }, "max_step.down.percent: 1.1 must be between 0 (none) and 1 (100%)"},
		"negative CPU step":    {func(p *policy.Policy) { p.StepDown.Size.CPUMillis = -1 }, "max_step.down.cpu: -1m must be between 0 (none) and 1M"},
		"huge memory step":     {func(p *policy.Policy) { p.StepUp.Size.MemoryBytes = size.MaxMemoryBytes + 1 }, "max_step.up.memory: 1125899906842625 must be between 0 (none) and 1Pi"},
		"negative replicas up": {func(p *policy.Policy) { p.StepUp.Size.Replicas = -1 }, "max_step.up.replicas: -1 must be between 0 (none) and 1000000"},

		"class":                  {func(p *policy.Policy) { p.Disruption.Class = "all" }, `disruption.class: "all" is not a class: use one of ["none" "rolling" "restart"]`},
		"negative disruption":    {func(p *policy.Policy) { p.Disruption.MinReplicas = -1 }, "disruption.min_replicas: -1 must be between 0 (any number) and 1000000"},
		"never enough replicas":  {func(p *policy.Policy) { p.Disruption.MinReplicas, p.MaxReplicas = 3, 2 }, "disruption.min_replicas: 3 is above the most replicas there may be, 2: CPU and memory could never change"},
		"negative least change":  {func(p *policy.Policy) { p.Disruption.MinUp = -1 }, "disruption.min_change.up: -1 must be between 0 (any change) and 1 (100%)"},
		"least change NaN":       {func(p *policy.Policy) { p.Disruption.MinUp = math.NaN() }, "disruption.min_change.up: NaN"},
		"nothing can fall by it": {func(p *policy.Policy) { p.Disruption.MinDown = 1 }, "disruption.min_change.down: 1 must be 0 (any change) or more, and below 1 (100%)"},
		"from tomorrow":          {func(p *policy.Policy) { p.Disruption.ScaleDown = window(policy.TimeWindow{From: 24 * time.Hour}) }, "disruption.scale_down_windows[1].from: 24h0m0s must be a time of the day from 00:00 to 23:59"},
		"until yesterday":        {func(p *policy.Policy) { p.Disruption.ScaleDown = window(policy.TimeWindow{To: -time.Hour}) }, "disruption.scale_down_windows[1].to: -1h0m0s must be a time of the day from 00:00 to 24:00"},
		"eighth day":             {func(p *policy.Policy) { p.Disruption.ScaleDown = window(policy.TimeWindow{Days: []time.Weekday{7}}) }, "disruption.scale_down_windows[1].days: 7 is not a day: use 0 (Sunday) to 6 (Saturday)"},
		"same day twice":         {func(p *policy.Policy) { p.Disruption.ScaleDown = window(policy.TimeWindow{Days: []time.Weekday{1, 1}}) }, "disruption.scale_down_windows[1].days: Monday is named twice"},

		"negative cool-down up":   {func(p *policy.Policy) { p.CoolDown.Up = -1 }, "cool_down.up: -1ns must be 0 (none) or more"},
		"negative cool-down down": {func(p *policy.Policy) { p.CoolDown.Down = -1 }, "cool_down.down: -1ns must be 0 (none) or more"},

		"up-only up":   {func(p *policy.Policy) { p.Permissions.CPU.Up = policy.ModeUpOnly }, `mode.cpu.up: "up-only" says something of both directions: use "enforce" up and "off" down`},
		"unknown mode": {func(p *policy.Policy) { p.Permissions.Replicas.Down = "auto" }, `mode.replicas.down: "auto" is not a mode of one direction: use one of ["enforce" "observe-only" "off"]`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			p := policy.Default()
			c.set(&p)

			err := p.Validate()
			require.ErrorContains(t, err, c.says)

			var problem *policy.FieldError
			require.ErrorAs(t, err, &problem)
		})
	}
}

func TestValidateAcceptsTheEdges(t *testing.T) {
	t.Parallel()

	p := policy.Default()
	p.MinReplicas, p.MaxReplicas = 2, 2
	p.Floor = policy.Floor{Window: 14 * 24 * time.Hour, CPUUtilisation: 1, MemoryMultiplier: 1}
	p.StepUp = policy.StepLimit{Share: 100, Size: size.Size{CPUMillis: size.MaxCPUMillis, MemoryBytes: size.MaxMemoryBytes, Replicas: size.MaxReplicas}}
	p.StepDown = policy.StepLimit{Share: 1}
	p.Disruption = policy.Disruption{
		Class: policy.DisruptionRestart, MinReplicas: 2, MinUp: 1, MinDown: 0.99,
		ScaleDown: []policy.TimeWindow{{From: 23*time.Hour + 59*time.Minute, To: 24 * time.Hour, Days: []time.Weekday{0, 6}}},
	}
	p.Permissions.Memory = policy.Permission{Up: policy.ModeObserveOnly, Down: policy.ModeOff}
	require.NoError(t, p.Validate())

	// A floor that is switched off is not looked at.
	p.Floor = policy.Floor{CPUUtilisation: 75}
	require.NoError(t, p.Validate())
}
