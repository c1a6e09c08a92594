package backtest

import (
	"time"

	"github.com/tidemark-project/tidemark/recommender/backtest/history"
)

// Result is how well a contender sized the services of one recording. Numbers about a resource that the recording does
// not have are absent. All are of what counts, after the warm-up.
//
//nolint:tagliatelle // as the results of all benchmarks are named
type Result struct {
	// Source is the recording, and Recommender the contender with its Params.
	Source      string         `json:"source"`
	Recommender string         `json:"recommender"`
	Params      map[string]any `json:"params"`

	// Services is how many were judged, and ServiceDays how long, all together.
	Services    int     `json:"services"`
	ServiceDays float64 `json:"service_days"`

	// CPUSlack and MemorySlack are the share of the allocation that lay idle: the mean over the samples of a service, and of
	// that the mean over the services. The medians are over the services.
	CPUSlack          *float64 `json:"cpu_slack"`
	MemorySlack       *float64 `json:"mem_slack"`
	CPUSlackMedian    *float64 `json:"cpu_slack_median"`
	MemorySlackMedian *float64 `json:"mem_slack_median"`

	// CPUShortMinutes and MemoryShortMinutes are the minutes in which the demand was above the allocation, per service and
	// day.
	CPUShortMinutes    *float64 `json:"cpu_under_min_per_day"`
	MemoryShortMinutes *float64 `json:"mem_under_min_per_day"`
	// Kills are how often memory ran out, per 1,000 services and day. Samples that do not fit, one after the other, count once.
	Kills *float64 `json:"oom_per_1000_days"`

	// Resizes are the changes, per service and day, and how many of them changed a resource.
	Resizes       float64 `json:"resizes_per_day"`
	CPUResizes    float64 `json:"cpu_resizes_per_day"`
	MemoryResizes float64 `json:"mem_resizes_per_day"`

	// CPUScaleDownHours and MemoryScaleDownHours are the median time from when the demand of 3 hours came to lie below half
	// of the allocation, for at least a day, until the allocation fell. Absent when there was no such time, or when more than
	// half of them were not followed.
	CPUScaleDownHours    *float64 `json:"cpu_scale_down_hours"`
	MemoryScaleDownHours *float64 `json:"mem_scale_down_hours"`
	// CPUDescents and MemoryDescents are how often the demand fell so, and of those how often the allocation never did.
	CPUDescents    Descents `json:"cpu_descents"`
	MemoryDescents Descents `json:"mem_descents"`

	// CoreHours and GibibyteHours are what was allocated, and the used ones what was used.
	CoreHours         float64 `json:"core_hours"`
	UsedCoreHours     float64 `json:"used_core_hours"`
	GibibyteHours     float64 `json:"gib_hours"`
	UsedGibibyteHours float64 `json:"used_gib_hours"`

	// Worst are the services that had too little for longest, and of those alike the ones with the most slack.
	Worst []ServiceResult `json:"worst"`

	// Fleet is what all services used and had, by the hour since 1970.
	Fleet map[int64]Hour `json:"-"`
}

// Descents is how often demand fell for good.
type Descents struct {
	Number     int64 `json:"number"`
	Unfollowed int64 `json:"unfollowed"`
}

// ServiceResult is how well one service was sized. The fields are as in Result.
//
//nolint:tagliatelle // as above
type ServiceResult struct {
	Service string  `json:"service"`
	Days    float64 `json:"days"`
	// ShortMinutes are those in which any resource was too small, per day.
	ShortMinutes       float64  `json:"under_min_per_day"`
	CPUSlack           *float64 `json:"cpu_slack"`
	MemorySlack        *float64 `json:"mem_slack"`
	CPUShortMinutes    *float64 `json:"cpu_under_min_per_day"`
	MemoryShortMinutes *float64 `json:"mem_under_min_per_day"`
	Kills              int64    `json:"ooms"`
	Resizes            float64  `json:"resizes_per_day"`

	score *score
}

// slack is the mean of both resources.
func (s *ServiceResult) slack() float64 {
	sum, known := 0.0, 0.0

	for _, slack := range [...]*float64{s.CPUSlack, s.MemorySlack} {
		if slack != nil {
			sum += *slack
			known++
		}
	}

	return sum / max(1, known)
}

const secondsPerDay = float64(24 * time.Hour / time.Second)

// result is the account of one service.
func (r *replay) result() ServiceResult {
	s := r.score
	days := float64(s.seconds) / secondsPerDay

	// The result outlives the replay, and there may be many.
	s.fleet, s.cpu.descent.peaks, s.memory.descent.peaks = timeline{}, history.Highest{}, history.Highest{}

	result := ServiceResult{
		Service: r.series.Service, Days: days, ShortMinutes: perDay(float64(s.shortSeconds)/60, days),
		Kills: s.kills, Resizes: perDay(float64(s.resizes), days), score: &s,
	}
	result.CPUSlack, result.CPUShortMinutes = s.cpu.numbers()
	result.MemorySlack, result.MemoryShortMinutes = s.memory.numbers()

	return result
}

// numbers are absent of a resource that was not judged.
func (r *resourceScore) numbers() (slack, shortMinutes *float64) {
	if r.samples == 0 {
		return nil, nil
	}

	return new(r.slack / float64(r.samples)), new(perDay(float64(r.shortSeconds)/60, float64(r.seconds)/secondsPerDay))
}

// perDay is 0 for no days.
func perDay(amount, days float64) float64 {
	if days <= 0 {
		return 0
	}

	return amount / days
}
