package main

import "slices"

// row is what one queue needs for one operation of one workload.
//
//nolint:tagliatelle // as the results of all benchmarks are named
type row struct {
	Case string `json:"case"`
	// Size is the number of distinct keys.
	Size  int    `json:"size"`
	Queue string `json:"queue"`
	// NsPerOp is the time that counts in this case: WallNsPerOp when several goroutines are at work, else CPUNsPerOp. All
	// are medians of the rounds.
	NsPerOp     float64 `json:"ns_per_op"`
	CPUNsPerOp  float64 `json:"cpu_ns_per_op"`
	WallNsPerOp float64 `json:"wall_ns_per_op"`
	// Ratio is how many times as long as this queue ours takes, by the time that counts, and CPURatio the same by processor
	// time: the medians of what the rounds say.
	Ratio    float64 `json:"ratio"`
	CPURatio float64 `json:"cpu_ratio"`
}

func summarise(w *workload, rounds, ours []sample) *row {
	wall, cpu := func(s sample) float64 { return s.wall }, func(s sample) float64 { return s.cpu }

	counts := cpu
	if w.concurrent {
		counts = wall
	}

	return &row{
		NsPerOp:     median(each(rounds, counts)),
		CPUNsPerOp:  median(each(rounds, cpu)),
		WallNsPerOp: median(each(rounds, wall)),
		Ratio:       medianRatio(each(ours, counts), each(rounds, counts)),
		CPURatio:    medianRatio(each(ours, cpu), each(rounds, cpu)),
	}
}

func each[T any](values []T, of func(T) float64) []float64 {
	numbers := make([]float64, len(values))
	for i, v := range values {
		numbers[i] = of(v)
	}

	return numbers
}

// medianRatio divides round by round.
func medianRatio(numerators, denominators []float64) float64 {
	ratios := make([]float64, len(numerators))
	for i := range ratios {
		ratios[i] = numerators[i] / denominators[i]
	}

	return median(ratios)
}

// median returns the middle one, or the mean of the middle two.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2

	if len(sorted)%2 == 1 {
		return sorted[middle]
	}

	return (sorted[middle-1] + sorted[middle]) / 2
}
