package worker

import (
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/size"
	"github.com/tidemark-project/tidemark/server/apivalue"
)

func explanation(e recommender.Explanation) *tidemarkv1.Explanation {
	out := &tidemarkv1.Explanation{
		Recommender: e.Recommender,
		Data: &tidemarkv1.DataQuality{
			NewestSampleTime: apivalue.TimeOrNone(e.Data.NewestSampleTime),
			ReadTime:         apivalue.TimeOrNone(e.Data.ReadTime),
			CpuMayFall:       e.Data.CPUMayFall,
			MemoryMayFall:    e.Data.MemoryMayFall,
			ReplicasMayFall:  e.Data.ReplicasMayFall,
		},
	}

	for _, p := range e.Parameters {
		out.Parameters = append(out.Parameters, &tidemarkv1.Parameter{Name: p.Name, Value: p.Value})
	}

	for _, f := range e.Facts {
		out.Facts = append(out.Facts, &tidemarkv1.Parameter{Name: f.Name, Value: f.Value})
	}

	for _, w := range e.Windows {
		out.Windows = append(out.Windows, window(w))
	}

	for _, m := range e.Merges {
		out.Merges = append(out.Merges, merge(m))
	}

	for _, a := range e.Adjustments {
		out.Adjustments = append(out.Adjustments, adjustment(a))
	}

	return out
}

func window(w recommender.WindowExplanation) *tidemarkv1.WindowExplanation {
	return &tidemarkv1.WindowExplanation{
		Name:  w.Name,
		Usage: apivalue.Window(w.Usage),
		Empty: w.Empty,
		Cpu: &tidemarkv1.CpuExplanation{
			Position:       bands[w.CPU.Position],
			BandLowMillis:  w.CPU.BandLowMillis,
			BandHighMillis: w.CPU.BandHighMillis,
			TargetMillis:   w.CPU.TargetMillis,
			NeedMillis:     w.CPU.NeedMillis,
		},
		Memory: &tidemarkv1.MemoryExplanation{
			MemoryClass:        memoryClasses[w.Memory.Class],
			VariationRatio:     w.Memory.VariationRatio,
			Multiplier:         w.Memory.Multiplier,
			QueryTermBytes:     w.Memory.QueryTermBytes,
			ResidentTermBytes:  w.Memory.ResidentTermBytes,
			RejectionTermBytes: w.Memory.RejectionTermBytes,
			OomKillTermBytes:   w.Memory.OOMKillTermBytes,

			RejectionMultiplier: w.Memory.RejectionMultiplier,
			OomKillMultiplier:   w.Memory.OOMKillMultiplier,
			Term:                memoryTerms[w.Memory.Term],
			NeedBytes:           w.Memory.NeedBytes,
			TargetBytes:         w.Memory.TargetBytes,
		},
		Need:          resourcesOrNone(w.Need),
		Fitted:        resourcesOrNone(w.Fitted),
		CpuVerdict:    directions[w.CPUVerdict],
		MemoryVerdict: directions[w.MemoryVerdict],
		Verdict:       directions[w.Verdict],
	}
}

func merge(m recommender.MergeExplanation) *tidemarkv1.MergeExplanation {
	out := &tidemarkv1.MergeExplanation{
		Scope:      scopes[m.Scope],
		Large:      directions[m.Large],
		Small:      directions[m.Small],
		Picked:     picks[m.Picked],
		Impossible: m.Impossible,
	}

	if m.Hunting.Consulted {
		out.Hunting = &tidemarkv1.HuntingCheck{
			PreviousTime:  apivalue.TimeOrNone(m.Hunting.PreviousTime),
			PreviousSmall: resourcesOrNone(m.Hunting.PreviousSmall),
			CurrentSmall:  resourcesOrNone(m.Hunting.CurrentSmall),
			TrendingUp:    m.Hunting.Trending,
		}
	}

	return out
}

func adjustment(a policy.Adjustment) *tidemarkv1.Adjustment {
	return &tidemarkv1.Adjustment{
		Stage:    stages[a.Stage],
		Resource: resources[a.Resource],
		Before:   a.Before,
		After:    a.After,
		Limited:  a.Limited,
	}
}

func resourcesOrNone(r size.Resources) *tidemarkv1.Size {
	return apivalue.SizeOrNone(size.Size{}.With(r))
}
