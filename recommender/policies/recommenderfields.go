package policies

import (
	"time"

	"github.com/tidemark-project/tidemark/recommender/percentile"
	"github.com/tidemark-project/tidemark/recommender/replicas"
	"github.com/tidemark-project/tidemark/recommender/threshold"
)

var thresholdFields = []field[threshold.Params]{
	choice("axis", func(p *threshold.Params) *threshold.Axis { return &p.Axis }, threshold.Axes()),
	section("cpu", func(p *threshold.Params) *threshold.Rule { return &p.CPU }, thresholdRuleFields),
	section("memory", func(p *threshold.Params) *threshold.Rule { return &p.Memory }, thresholdRuleFields),
	list("templates", func(p *threshold.Params) *[]threshold.Template { return &p.Templates }, []field[threshold.Template]{
		word("name", func(t *threshold.Template) *string { return &t.Name }),
		cpu("cpu", func(t *threshold.Template) *int64 { return &t.Resources.CPUMillis }),
		memory("memory", func(t *threshold.Template) *int64 { return &t.Resources.MemoryBytes }),
		memory("storage", func(t *threshold.Template) *int64 { return &t.StorageBytes }),
		count("count", func(t *threshold.Template) *int32 { return &t.Count }),
	}),
	count("step", func(p *threshold.Params) *int32 { return &p.Step }),
	share("size_step", func(p *threshold.Params) *float64 { return &p.SizeStep }),
	duration("scale_out_interval", func(p *threshold.Params) *time.Duration { return &p.ScaleOutInterval }),
	duration("scale_in_interval", func(p *threshold.Params) *time.Duration { return &p.ScaleInInterval }),
	share("min_coverage", func(p *threshold.Params) *float64 { return &p.MinCoverage }),
	duration("max_sample_age", func(p *threshold.Params) *time.Duration { return &p.MaxSampleAge }),
}

var thresholdRuleFields = []field[threshold.Rule]{
	share("max", func(r *threshold.Rule) *float64 { return &r.Max }),
	share("min", func(r *threshold.Rule) *float64 { return &r.Min }),
	duration("sustained_for", func(r *threshold.Rule) *time.Duration { return &r.SustainedFor }),
}

var percentileFields = []field[percentile.Params]{
	duration("half_life", func(p *percentile.Params) *time.Duration { return &p.HalfLife }),
	duration("span", func(p *percentile.Params) *time.Duration { return &p.Span }),
	duration("peak_interval", func(p *percentile.Params) *time.Duration { return &p.PeakInterval }),
	share("cpu_percentile", func(p *percentile.Params) *float64 { return &p.CPUPercentile }),
	share("memory_percentile", func(p *percentile.Params) *float64 { return &p.MemoryPercentile }),
	share("memory_peak_share", func(p *percentile.Params) *float64 { return &p.MemoryPeakShare }),
	share("lower_percentile", func(p *percentile.Params) *float64 { return &p.LowerPercentile }),
	share("upper_percentile", func(p *percentile.Params) *float64 { return &p.UpperPercentile }),
	toggle("load_adjusted", func(p *percentile.Params) *bool { return &p.LoadAdjusted }),
	share("margin", func(p *percentile.Params) *float64 { return &p.Margin }),
	factor("oom_ratio", func(p *percentile.Params) *float64 { return &p.OOMRatio }),
	memory("oom_min", func(p *percentile.Params) *int64 { return &p.OOMMinBytes }),
	cpu("min_cpu", func(p *percentile.Params) *int64 { return &p.MinCPUMillis }),
	memory("min_memory", func(p *percentile.Params) *int64 { return &p.MinMemoryBytes }),
	factor("samples_per_day", func(p *percentile.Params) *float64 { return &p.SamplesPerDay }),
	share("min_coverage", func(p *percentile.Params) *float64 { return &p.MinCoverage }),
	duration("max_sample_age", func(p *percentile.Params) *time.Duration { return &p.MaxSampleAge }),
}

var replicasFields = []field[replicas.Params]{
	share("cpu_target", func(p *replicas.Params) *float64 { return &p.CPUTarget }),
	share("memory_target", func(p *replicas.Params) *float64 { return &p.MemoryTarget }),
	duration("up_window", func(p *replicas.Params) *time.Duration { return &p.UpWindow }),
	duration("down_window", func(p *replicas.Params) *time.Duration { return &p.DownWindow }),
	share("tolerance", func(p *replicas.Params) *float64 { return &p.Tolerance }),
	count("spare_replicas", func(p *replicas.Params) *int32 { return &p.SpareReplicas }),
	toggle("joint", func(p *replicas.Params) *bool { return &p.Joint }),
	factor("cpu_cost", func(p *replicas.Params) *float64 { return &p.CPUCost }),
	factor("memory_cost", func(p *replicas.Params) *float64 { return &p.MemoryCost }),
	share("min_coverage", func(p *replicas.Params) *float64 { return &p.MinCoverage }),
	duration("max_sample_age", func(p *replicas.Params) *time.Duration { return &p.MaxSampleAge }),
}
