package backtest

import (
	"cmp"
	"math"
	"slices"
)

// worstServices is how many of the worst services a result names.
const worstServices = 10

// result adds up the services of a contender, in their order: sums of floats depend on it.
func (g *gathered) result(source string, contender Contender, at int) Result {
	services := slices.DeleteFunc(g.services[at].all(), func(s ServiceResult) bool { return s.Days <= 0 })

	result := Result{
		Source: source, Recommender: contender.Name, Params: contender.Params, Services: len(services), Fleet: g.fleets[at],
	}

	var (
		cpu, memory              resourceSummary
		resizes, kills, killDays float64
	)

	for i := range services {
		s := services[i].score
		result.ServiceDays += services[i].Days
		resizes += float64(s.resizes)

		if s.memory.samples > 0 {
			kills += float64(s.kills)
			killDays += float64(s.memory.seconds) / secondsPerDay
		}

		cpu.add(&s.cpu)
		memory.add(&s.memory)
	}

	result.Resizes = perDay(resizes, result.ServiceDays)
	result.CPUResizes = perDay(float64(cpu.resizes), result.ServiceDays)
	result.MemoryResizes = perDay(float64(memory.resizes), result.ServiceDays)
	result.CPUSlack, result.CPUSlackMedian, result.CPUShortMinutes = cpu.numbers()
	result.MemorySlack, result.MemorySlackMedian, result.MemoryShortMinutes = memory.numbers()
	result.CPUScaleDownHours, result.CPUDescents = cpu.descents()
	result.MemoryScaleDownHours, result.MemoryDescents = memory.descents()
	result.CoreHours, result.UsedCoreHours = cpu.allocated/1000/3600, cpu.used/1000/3600
	result.GibibyteHours, result.UsedGibibyteHours = memory.allocated/(1<<30)/3600, memory.used/(1<<30)/3600

	if killDays > 0 {
		result.Kills = new(1000 * kills / killDays)
	}

	result.Worst = worst(services)

	return result
}

// worst are the services to look at.
func worst(services []ServiceResult) []ServiceResult {
	sorted := slices.SortedStableFunc(slices.Values(services), func(a, b ServiceResult) int {
		return cmp.Or(cmp.Compare(b.ShortMinutes, a.ShortMinutes), cmp.Compare(b.slack(), a.slack()))
	})

	return sorted[:min(worstServices, len(sorted))]
}

// resourceSummary adds up one resource of all services.
type resourceSummary struct {
	slacks          []float64
	shortSeconds    int64
	seconds         int64
	resizes         int64
	allocated, used float64
	latencies       []int64
	unfollowed      int64
}

func (r *resourceSummary) add(s *resourceScore) {
	if s.samples > 0 {
		r.slacks = append(r.slacks, s.slack/float64(s.samples))
	}

	r.shortSeconds += s.shortSeconds
	r.seconds += s.seconds
	r.resizes += s.resizes
	r.allocated += s.allocated
	r.used += s.used
	r.latencies = append(r.latencies, s.descent.latencies...)
	r.unfollowed += s.descent.unfollowed
}

func (r *resourceSummary) numbers() (mean, middle, shortMinutes *float64) {
	if len(r.slacks) == 0 {
		return nil, nil, nil
	}

	sum := 0.0
	for _, slack := range r.slacks {
		sum += slack
	}

	return new(sum / float64(len(r.slacks))), new(median(r.slacks)),
		new(perDay(float64(r.shortSeconds)/60, float64(r.seconds)/secondsPerDay))
}

// descents is the median latency, in which those that were not followed took for ever.
func (r *resourceSummary) descents() (hours *float64, number Descents) {
	number = Descents{Number: int64(len(r.latencies)) + r.unfollowed, Unfollowed: r.unfollowed}
	if number.Number == 0 {
		return nil, number
	}

	all := make([]float64, 0, number.Number)
	for _, latency := range r.latencies {
		all = append(all, float64(latency)/3600)
	}

	for range r.unfollowed {
		all = append(all, math.Inf(1))
	}

	if middle := median(all); !math.IsInf(middle, 1) {
		hours = &middle
	}

	return hours, number
}

// median is the middle value, or the mean of the middle two.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))

	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}
