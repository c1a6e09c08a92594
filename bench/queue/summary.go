package main

import "slices"

// summary is the result of a run: what the bars are set on, where those numbers come from, and everything else.
//
//nolint:tagliatelle // as the results of all benchmarks are named
type summary struct {
	// RatioPlain and the other ratios are how many times as long as the other queue ours takes; Basis says at what.
	RatioPlain                  float64 `json:"ratio_plain"`
	RatioPriorityQueue          float64 `json:"ratio_priorityqueue"`
	RatioPlainCPU               float64 `json:"ratio_plain_cpu"`
	RatioPriorityQueueCPU       float64 `json:"ratio_priorityqueue_cpu"`
	RatioPlainSingle            float64 `json:"ratio_plain_single"`
	RatioRateLimiting           float64 `json:"ratio_rate_limiting"`
	RatioMixedPriorityQueue     float64 `json:"ratio_mixed_priorityqueue"`
	RatioDuplicatePlain         float64 `json:"ratio_duplicate_plain"`
	RatioDuplicatePriorityQueue float64 `json:"ratio_duplicate_priorityqueue"`
	DuplicateNs                 float64 `json:"duplicate_ns"`
	BytesPerItem                float64 `json:"bytes_per_item"`
	Growth                      float64 `json:"growth_1k_1m"`
	GrowthWorkers               float64 `json:"growth_1k_1m_workers"`
	GrowthWorkersPlain          float64 `json:"growth_1k_1m_workers_plain"`
	GRPCUnaryRatio              float64 `json:"grpc_unary_ratio"`
	BatchItemsPerSecond         float64 `json:"batch_items_per_s"`

	Basis      map[string]string `json:"basis"`
	Rows       []*row            `json:"rows"`
	Footprints []*footprint      `json:"footprints"`
	Rates      []*rate           `json:"rates"`
}

// basis says of each number how it comes about.
var basis = map[string]string{
	"ratio_plain":                   "ours / workqueue, \"" + cycleWorkers + "\", time by the clock, the worst size",
	"ratio_priorityqueue":           "ours / priorityqueue, \"" + cycleWorkers + "\", time by the clock, the worst size",
	"ratio_plain_cpu":               "as ratio_plain, by processor time",
	"ratio_priorityqueue_cpu":       "as ratio_priorityqueue, by processor time",
	"ratio_plain_single":            "ours / workqueue, \"" + cycle + "\" by one goroutine, processor time, the worst size",
	"ratio_rate_limiting":           "ours / rate-limiting workqueue with Forget, \"" + cycleWorkers + "\", time by the clock, the worst size",
	"ratio_mixed_priorityqueue":     "as ratio_priorityqueue, both with keys of three urgencies",
	"ratio_duplicate_plain":         "ours / workqueue, add of what waits, by one goroutine and by 8, the worst size of both",
	"ratio_duplicate_priorityqueue": "ours / priorityqueue, add of what waits, by one goroutine and by 8, the worst size of both",
	"duplicate_ns":                  "nanoseconds of processor time for an add of what waits, ours, the worst size",
	"bytes_per_item":                "heap for each waiting item with its key, ours, at the largest size",
	"growth_1k_1m":                  "ours, largest size / smallest, \"" + cycle + "\" by one goroutine, processor time",
	"growth_1k_1m_workers":          "as growth_1k_1m, \"" + cycleWorkers + "\": also how much they got into each other's way, by chance",
	"growth_1k_1m_workers_plain":    "the same of workqueue",
	"grpc_unary_ratio":              "rate of unary Enqueue / rate of an empty handler, the worse of distinct and duplicate keys",
	"batch_items_per_s":             "distinct services per second through BatchEnqueue",
}

func summariseAll(rows []*row, prints []*footprint, rates []*rate) *summary {
	ratio := func(r *row) float64 { return r.Ratio }
	cpuRatio := func(r *row) float64 { return r.CPURatio }

	s := &summary{
		RatioPlain:                  worst(rows, ratio, plainName, cycleWorkers),
		RatioPriorityQueue:          worst(rows, ratio, priorityName, cycleWorkers),
		RatioPlainCPU:               worst(rows, cpuRatio, plainName, cycleWorkers),
		RatioPriorityQueueCPU:       worst(rows, cpuRatio, priorityName, cycleWorkers),
		RatioPlainSingle:            worst(rows, ratio, plainName, cycle),
		RatioRateLimiting:           worst(rows, ratio, limitedName, cycleWorkers),
		RatioMixedPriorityQueue:     worst(rows, ratio, mixedPriorityName, cycleWorkers),
		RatioDuplicatePlain:         worst(rows, ratio, plainName, duplicate, duplicateMany),
		RatioDuplicatePriorityQueue: worst(rows, ratio, priorityName, duplicate, duplicateMany),
		DuplicateNs:                 worst(rows, func(r *row) float64 { return r.CPUNsPerOp }, oursName, duplicate),
		Growth:                      growth(rows, oursName, cycle),
		GrowthWorkers:               growth(rows, oursName, cycleWorkers),
		GrowthWorkersPlain:          growth(rows, plainName, cycleWorkers),
		Basis:                       basis, Rows: rows, Footprints: prints, Rates: rates,
	}

	for _, f := range prints {
		if f.Queue == oursName {
			s.BytesPerItem = f.BytesPerItem
		}
	}

	unary := make(map[string]*rate, len(rates))
	for _, r := range rates {
		unary[r.Case] = r
	}

	s.GRPCUnaryRatio = min(unary[unaryDistinct].Ratio, unary[unaryDuplicate].Ratio)
	s.BatchItemsPerSecond = unary[batchDistinct].PerSecond

	return s
}

// worst returns the greatest number that the rows of one queue have in these cases.
func worst(rows []*row, of func(*row) float64, queue string, cases ...string) float64 {
	var most float64

	for _, r := range rows {
		if r.Queue == queue && slices.Contains(cases, r.Case) {
			most = max(most, of(r))
		}
	}

	return most
}

// growth returns how many times as long an operation of a queue takes at the largest size as at the smallest.
func growth(rows []*row, queue, name string) float64 {
	var smallest, largest *row

	for _, r := range rows {
		if r.Queue != queue || r.Case != name {
			continue
		}

		if smallest == nil || r.Size < smallest.Size {
			smallest = r
		}

		if largest == nil || r.Size > largest.Size {
			largest = r
		}
	}

	return largest.CPUNsPerOp / smallest.CPUNsPerOp
}
