package policies

import (
	"time"

	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/size"
)

// policyFields are the fields of a policy, but for the recommender and what it matches.
var policyFields = []field[policy.Policy]{
	section("min", self, []field[policy.Policy]{
		cpu("cpu", func(p *policy.Policy) *int64 { return &p.Min.CPUMillis }),
		memory("memory", func(p *policy.Policy) *int64 { return &p.Min.MemoryBytes }),
		count("replicas", func(p *policy.Policy) *int32 { return &p.MinReplicas }),
	}),
	section("max", self, []field[policy.Policy]{
		cpu("cpu", func(p *policy.Policy) *int64 { return &p.Max.CPUMillis }),
		memory("memory", func(p *policy.Policy) *int64 { return &p.Max.MemoryBytes }),
		count("replicas", func(p *policy.Policy) *int32 { return &p.MaxReplicas }),
	}),
	section("step", self, []field[policy.Policy]{
		cpu("cpu", func(p *policy.Policy) *int64 { return &p.StepCPUMillis }),
		memory("memory", func(p *policy.Policy) *int64 { return &p.StepMemoryBytes }),
	}),
	list("catalogue", func(p *policy.Policy) *[]size.Resources { return &p.Catalogue }, []field[size.Resources]{
		cpu("cpu", func(s *size.Resources) *int64 { return &s.CPUMillis }),
		memory("memory", func(s *size.Resources) *int64 { return &s.MemoryBytes }),
	}),
	memory("memory_per_core", func(p *policy.Policy) *int64 { return &p.MemoryPerCoreBytes }),
	section("max_step", self, []field[policy.Policy]{
		section("up", func(p *policy.Policy) *policy.StepLimit { return &p.StepUp }, stepLimitFields),
		section("down", func(p *policy.Policy) *policy.StepLimit { return &p.StepDown }, stepLimitFields),
	}),
	section("cool_down", func(p *policy.Policy) *policy.CoolDown { return &p.CoolDown }, []field[policy.CoolDown]{
		duration("up", func(c *policy.CoolDown) *time.Duration { return &c.Up }),
		duration("down", func(c *policy.CoolDown) *time.Duration { return &c.Down }),
	}),
	section("mode", self, []field[policy.Policy]{
		choice("default", func(p *policy.Policy) *policy.Mode { return &p.Mode }, policy.Modes()),
		section("cpu", func(p *policy.Policy) *policy.Permission { return &p.Permissions.CPU }, permissionFields),
		section("memory", func(p *policy.Policy) *policy.Permission { return &p.Permissions.Memory }, permissionFields),
		section("replicas", func(p *policy.Policy) *policy.Permission { return &p.Permissions.Replicas }, permissionFields),
	}),
	section("disruption", func(p *policy.Policy) *policy.Disruption { return &p.Disruption }, disruptionFields),
	section("floor", func(p *policy.Policy) *policy.Floor { return &p.Floor }, []field[policy.Floor]{
		duration("window", func(f *policy.Floor) *time.Duration { return &f.Window }),
		share("cpu_utilisation", func(f *policy.Floor) *float64 { return &f.CPUUtilisation }),
		factor("memory_multiplier", func(f *policy.Floor) *float64 { return &f.MemoryMultiplier }),
	}),
}

var stepLimitFields = []field[policy.StepLimit]{
	share("percent", func(l *policy.StepLimit) *float64 { return &l.Share }),
	cpu("cpu", func(l *policy.StepLimit) *int64 { return &l.Size.CPUMillis }),
	memory("memory", func(l *policy.StepLimit) *int64 { return &l.Size.MemoryBytes }),
	count("replicas", func(l *policy.StepLimit) *int32 { return &l.Size.Replicas }),
}

var permissionFields = []field[policy.Permission]{
	choice("up", func(p *policy.Permission) *policy.Mode { return &p.Up }, oneDirection),
	choice("down", func(p *policy.Permission) *policy.Mode { return &p.Down }, oneDirection),
}

// oneDirection are the modes that a single direction can have.
var oneDirection = []policy.Mode{policy.ModeEnforce, policy.ModeObserveOnly, policy.ModeOff}

var disruptionFields = []field[policy.Disruption]{
	choice("class", func(d *policy.Disruption) *policy.DisruptionClass { return &d.Class }, policy.DisruptionClasses()),
	count("min_replicas", func(d *policy.Disruption) *int32 { return &d.MinReplicas }),
	section("min_change", self, []field[policy.Disruption]{
		share("up", func(d *policy.Disruption) *float64 { return &d.MinUp }),
		share("down", func(d *policy.Disruption) *float64 { return &d.MinDown }),
	}),
	list("scale_down_windows", func(d *policy.Disruption) *[]policy.TimeWindow { return &d.ScaleDown }, windowFields),
}
