package main

import (
	"fmt"
	"sync"
	"time"

	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/recommender/logic"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/recommender/model"

	"github.com/tidemark-project/tidemark/recommender/backtest"
	"github.com/tidemark-project/tidemark/recommender/backtest/history"
	"github.com/tidemark-project/tidemark/recommender/size"
)

// The Vertical Pod Autoscaler's defaults.
const (
	minCPUMillis    = 25
	minMemoryMiB    = 250
	lowerPercentile = 0.50
	upperPercentile = 0.95
	confidence      = 24 * time.Hour
	container       = "main"
)

// vpa is the Vertical Pod Autoscaler: histograms, estimators and the handling of kills are its own code, with its
// defaults but for the percentile and the margin. The percentile is that of the target of CPU and of memory; the upper
// bound, which may not lie below the target, follows it. When a size takes effect is decided as its updater does, see
// rule. A recorded sample stands for as many of its samples as it has minutes.
func vpa(percentile, margin float64) backtest.Contender {
	upper := max(upperPercentile, percentile)
	estimators := logic.CreatePodResourceRecommender(logic.RecommendationConfig{
		SafetyMarginFraction: margin - 1,
		PodMinCPUMillicores:  minCPUMillis, PodMinMemoryMb: minMemoryMiB,
		TargetCPUPercentile: percentile, LowerBoundCPUPercentile: lowerPercentile, UpperBoundCPUPercentile: upper,
		TargetMemoryPercentile: percentile, LowerBoundMemoryPercentile: lowerPercentile, UpperBoundMemoryPercentile: upper,
		ConfidenceIntervalCPU: confidence, ConfidenceIntervalMemory: confidence,
	})

	return backtest.Contender{
		Name: fmt.Sprintf("vpa p%.0f x%.2f", 100*percentile, margin), Params: map[string]any{"percentile": percentile, "margin": margin},
		New: func(*backtest.Series) (backtest.Player, error) {
			configure()

			state := model.NewAggregateContainerState()

			return &vpaPlayer{estimators: estimators, state: state, container: model.NewContainerState(nil, state)}, nil
		},
	}
}

// configure makes the constants that all histograms share, before several goroutines would.
var configure = sync.OnceFunc(func() { model.GetAggregationsConfig() })

// vpaPlayer is the Vertical Pod Autoscaler for one pod with one container.
type vpaPlayer struct {
	estimators logic.PodResourceRecommender
	state      *model.AggregateContainerState
	container  *model.ContainerState
	rule       rule
}

// Observe adds a sample. Its weight is the same whether it is added once or once for each of its minutes, since all
// samples are as long; only the count, which the confidence depends on, has to be told.
func (p *vpaPlayer) Observe(s history.Sample) {
	at := time.Unix(s.Time, 0).UTC()

	if s.CPUKnown {
		p.container.AddSample(&model.ContainerUsageSample{
			MeasureStart: at, Usage: model.CPUAmountFromCores(s.CPUMillis / 1000), Resource: model.ResourceCPU,
		})

		p.state.TotalSamplesCount += int(s.Minutes) - 1
	}

	if s.MemoryKnown {
		p.container.AddSample(&model.ContainerUsageSample{
			MeasureStart: at, Usage: model.MemoryAmountFromBytes(s.MemoryBytes), Resource: model.ResourceMemory,
		})
	}
}

// Kill tells of a kill with the memory that was requested.
func (p *vpaPlayer) Kill(seconds, residentBytes int64) {
	at := time.Unix(seconds, 0).UTC()
	p.rule.kill(at)

	// It refuses kills that are older than a day, which these are not.
	_ = p.container.RecordOOM(at, model.MemoryAmountFromBytes(float64(residentBytes)))
}

// Decide keeps the size unless the updater would give the pod another.
func (p *vpaPlayer) Decide(m backtest.Moment) backtest.Answer {
	if p.state.TotalSamplesCount == 0 {
		return backtest.Answer{Size: m.Allocation}
	}

	of := p.estimators.GetRecommendedPodResources(model.ContainerNameToAggregateStateMap{container: p.state})[container]

	if !p.rule.applies(m, bounds{resources(of.Target), resources(of.LowerBound), resources(of.UpperBound)}) {
		return backtest.Answer{Size: m.Allocation}
	}

	return backtest.Answer{Size: m.Allocation.With(resources(of.Target))}
}

// resources takes over amounts of the Vertical Pod Autoscaler, which are millicores and bytes too.
func resources(of model.Resources) size.Resources {
	return size.Resources{CPUMillis: int64(of[model.ResourceCPU]), MemoryBytes: int64(of[model.ResourceMemory])}
}
