package replicas

import (
	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/size"
)

// demand is what all replicas together use of one resource.
type demand struct {
	resource size.Resource
	target   float64 // The utilisation of a replica that is aimed at; 0 leaves the resource out.
	up, down int64   // The peaks of the windows; 0 when they are not known.
}

// known reports that the resource counts and was measured.
func (d *demand) known() bool { return d.target > 0 && d.down > 0 }

// The names of what measure notes, in the order of size.Both.
var peakNames = [...][2]string{
	{"cpu_total_up_peak_millis", "cpu_total_down_peak_millis"},
	{"memory_total_up_peak_bytes", "memory_total_down_peak_bytes"},
}

// measure reads the demand for each resource that counts.
func (e *evaluation) measure() {
	e.demands = [...]demand{
		{size.CPU, e.params.CPUTarget, e.up.CPUTotalPeakMillis, e.down.CPUTotalPeakMillis},
		{size.Memory, e.params.MemoryTarget, e.up.ResidentMemoryTotalPeakBytes, e.down.ResidentMemoryTotalPeakBytes},
	}
	unknown := [...]recommender.Reason{recommender.ReasonCPUUnknown, recommender.ReasonMemoryUnknown}

	for i := range e.demands {
		d := &e.demands[i]
		if d.target <= 0 {
			continue
		}

		e.fact(peakNames[i][0], float64(d.up))
		e.fact(peakNames[i][1], float64(d.down))

		if d.up <= 0 || d.down <= 0 {
			e.keep(unknown[i])
		}

		// The longer window contains the shorter one, unless a sample came late.
		d.down = max(d.down, d.up)
	}
}

// raw is how many replicas of a size a demand needs, as a fraction: the largest of
//
//	demand / (size * target)
//
// over the resources.
func (e *evaluation) raw(of size.Resources, peak func(*demand) int64) float64 {
	most := 0.0

	for i := range e.demands {
		if d := &e.demands[i]; d.known() {
			most = max(most, float64(peak(d))/(float64(of.Get(d.resource))*d.target))
		}
	}

	return most
}

func upPeak(d *demand) int64 { return d.up }

func downPeak(d *demand) int64 { return d.down }

// whole makes a fraction of replicas a number of them, with the spare ones. There is always one.
func (e *evaluation) whole(raw float64) int32 {
	serving := max(size.Ceil(raw, int64(size.MaxReplicas)), 1)

	return int32(min(serving+int64(e.params.SpareReplicas), int64(size.MaxReplicas))) //nolint:gosec // bounded
}
