package percentile

import (
	"math"

	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/size"
	"github.com/tidemark-project/tidemark/recommender/usage"
)

// minDifference is how far the allocation must be from the target, as a share of it, to be changed while it lies within
// the bounds. It is the updater's; that one waits for a pod to be 12 hours old, in place of which stands the evidence.
const minDifference = 0.1

// names are what the account calls the numbers of one resource. They are written out because putting them together for
// every service would cost more than the estimate.
type names struct {
	samples, confidence                          string
	lowerPercentile, percentile, upperPercentile string
	lower, target, upper                         string
}

var (
	cpuNames = names{
		"cpu_samples", "cpu_confidence_days", "cpu_lower_percentile_millis", "cpu_percentile_millis",
		"cpu_upper_percentile_millis", "cpu_lower_bound_millis", "cpu_target_millis", "cpu_upper_bound_millis",
	}
	memoryNames = names{
		"memory_samples", "memory_confidence_days", "memory_lower_percentile_bytes", "memory_percentile_bytes",
		"memory_upper_percentile_bytes", "memory_lower_bound_bytes", "memory_target_bytes", "memory_upper_bound_bytes",
	}
)

// resource is what an estimate is made from.
type resource struct {
	names         *names
	histogram     *usage.Histogram
	samplesPerDay float64
	share         float64
	peakShare     float64
	least, limit  int64
}

// bounds are an estimate: the allocation to have, and the range in which a small difference does not matter.
type bounds struct{ lower, target, upper int64 }

func (e *evaluation) sizeCPU() {
	histogram := e.known(e.in.Usage.CPUHistogram, usage.CPUBuckets())
	if histogram == nil {
		e.proposal.KeepCPU = true
		e.proposal.Because(recommender.ReasonCPUUnknown)

		return
	}

	if e.params.LoadAdjusted {
		histogram = histogram.LoadAdjusted()
	}

	b := e.estimate(resource{
		&cpuNames, histogram, e.params.SamplesPerDay, e.params.CPUPercentile, 0, e.params.MinCPUMillis, size.MaxCPUMillis,
	})
	e.proposal.Need.CPUMillis = e.calm(e.in.Allocation.CPUMillis, b, recommender.ReasonPercentile)
}

func (e *evaluation) sizeMemory() {
	var b bounds

	histogram := e.known(e.in.Usage.MemoryHistogram, usage.MemoryBuckets())
	if histogram != nil {
		b = e.estimate(resource{
			&memoryNames, histogram, e.peaksPerDay, e.params.MemoryPercentile, e.params.MemoryPeakShare,
			e.params.MinMemoryBytes, size.MaxMemoryBytes,
		})
	} else {
		e.proposal.KeepMemory = true
		e.proposal.Because(recommender.ReasonMemoryUnknown)
	}

	// The evidence is what was needed, so less is not within the bounds. How much more still is, it does not say.
	evidence, reason := e.evidenceNeed(b.target)
	if evidence > b.target {
		b = bounds{evidence, evidence, size.MaxMemoryBytes}
	}

	if b.target > 0 {
		e.proposal.Need.MemoryBytes = e.calm(e.in.Allocation.MemoryBytes, b, reason)
	}
}

// known returns a histogram that says something; nil when there is none.
func (e *evaluation) known(h *usage.Histogram, buckets usage.Buckets) *usage.Histogram {
	if h == nil {
		return nil
	}

	if !h.Plausible(buckets) {
		e.proposal.Because(recommender.ReasonImplausibleData)

		return nil
	}

	if h.Percentile(1) <= 0 {
		return nil
	}

	return h
}

// estimate returns the bounds of one resource.
func (e *evaluation) estimate(r resource) bounds {
	// No more history can be stood for than samples count.
	confidence := min(Confidence(r.histogram, r.samplesPerDay), e.params.Span.Hours()/day)
	low := r.histogram.Percentile(e.params.LowerPercentile)
	middle := max(r.histogram.Percentile(r.share), r.peakShare*r.histogram.Percentile(1))
	high := max(r.histogram.Percentile(e.params.UpperPercentile), middle)
	rounded := func(amount float64) int64 {
		return max(size.Ceil(amount*(1+e.params.Margin), r.limit), r.least)
	}

	b := bounds{
		lower:  rounded(low * LowerMultiplier(confidence)),
		target: rounded(middle),
		upper:  rounded(high * UpperMultiplier(confidence)),
	}

	e.fact(r.names.samples, float64(r.histogram.Samples))
	e.fact(r.names.confidence, confidence)
	e.fact(r.names.lowerPercentile, low)
	e.fact(r.names.percentile, middle)
	e.fact(r.names.upperPercentile, high)
	e.fact(r.names.lower, float64(b.lower))
	e.fact(r.names.target, float64(b.target))
	e.fact(r.names.upper, float64(b.upper))

	return b
}

// calm returns the allocation where it lies within the bounds and close to the target, else the target, for the given
// reason.
func (e *evaluation) calm(current int64, b bounds, reason recommender.Reason) int64 {
	difference := math.Abs(float64(b.target)-float64(current)) / float64(current)

	if current >= b.lower && current <= b.upper && difference < minDifference {
		e.proposal.Because(recommender.ReasonWithinConfidence)

		return current
	}

	e.proposal.Because(reason)

	return b.target
}
