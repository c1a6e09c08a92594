package html

import (
	"maps"
	"math"
	"slices"

	"github.com/tidemark-project/tidemark/recommender/backtest"
)

// data is what the charts are drawn from.
type data struct {
	Recordings []recordingData `json:"recordings"`
}

type recordingData struct {
	Name         string        `json:"name"`
	Recommenders []string      `json:"recommenders"`
	Points       []pointData   `json:"points"` // by recommender
	Fleet        fleetData     `json:"fleet"`
	Worst        [][]trackData `json:"worst"` // by recommender
}

// pointData is one recommender in the charts of slack and shortage; a number is absent that is not known.
type pointData struct {
	CPUSlack    *float64 `json:"cpuSlack"`
	CPUShort    *float64 `json:"cpuShort"`
	MemorySlack *float64 `json:"memorySlack"`
	MemoryShort *float64 `json:"memoryShort"`
}

// fleetData is all services together, in cores and GiB.
type fleetData struct {
	Times  []int64   `json:"t"` // seconds since 1970
	CPU    fleetPart `json:"cpu"`
	Memory fleetPart `json:"memory"`
}

type fleetPart struct {
	Used  numbers   `json:"used"`
	Given []numbers `json:"given"` // by recommender
}

// trackData is one service under one recommender, CPU in cores and memory in GiB.
type trackData struct {
	Service string    `json:"service"`
	CPU     *lineData `json:"cpu"`
	Memory  *lineData `json:"memory"`
}

// lineData is one chart of a service; absent when the recording does not have the resource.
type lineData struct {
	Times       []int64 `json:"t"`
	Used        numbers `json:"used"`
	Given       numbers `json:"given"`
	Recommended numbers `json:"wanted"`
}

func newData(report *Report) data {
	d := data{Recordings: make([]recordingData, 0, len(report.Recordings))}
	buckets := bucketsFor(report)

	for i := range report.Recordings {
		recording := &report.Recordings[i]
		shown := recordingData{Name: recording.Name, Fleet: newFleet(recording.Results)}

		for _, result := range recording.Results {
			shown.Recommenders = append(shown.Recommenders, result.Recommender)
			shown.Points = append(shown.Points, pointData{
				result.CPUSlack, result.CPUShortMinutes, result.MemorySlack, result.MemoryShortMinutes,
			})
		}

		for _, tracks := range recording.Tracks {
			shown.Worst = append(shown.Worst, newTracks(tracks, buckets))
		}

		d.Recordings = append(d.Recordings, shown)
	}

	return d
}

// fleetBuckets is how many stretches the hours of a fleet are drawn in.
const fleetBuckets = 400

func newFleet(results []backtest.Result) fleetData {
	const (
		hour     = 3600
		millis   = 1000 * hour
		mebibyte = 1024 * hour
	)

	hours := map[int64]bool{}

	for _, result := range results {
		for at := range result.Fleet {
			hours[at] = true
		}
	}

	times := whole(slices.Sorted(maps.Keys(hours)), results)
	columns := make([]numbers, 2+2*len(results))

	for _, at := range times {
		for i, result := range results {
			h := result.Fleet[at]
			if i == 0 {
				columns[0] = append(columns[0], float64(h.CPUUsed)/millis)
				columns[1] = append(columns[1], float64(h.MemoryUsed)/mebibyte)
			}

			columns[2+2*i] = append(columns[2+2*i], float64(h.CPUAllocated)/millis)
			columns[3+2*i] = append(columns[3+2*i], float64(h.MemoryAllocated)/mebibyte)
		}
	}

	times, columns = withGaps(times, columns)
	kept := extremes(columns, fleetBuckets)

	var fleet fleetData

	for _, i := range kept {
		fleet.Times = append(fleet.Times, times[i]*hour)
	}

	fleet.CPU.Used, fleet.Memory.Used = columns[0].pick(kept), columns[1].pick(kept)

	for i := range results {
		fleet.CPU.Given = append(fleet.CPU.Given, columns[2+2*i].pick(kept))
		fleet.Memory.Given = append(fleet.Memory.Given, columns[3+2*i].pick(kept))
	}

	return fleet
}

// whole leaves out the first and the last hour when they were recorded in part: the fleet would seem to begin and end with
// a jump.
func whole(times []int64, results []backtest.Result) []int64 {
	const most = 0.9

	partly := func(at, next int64) bool {
		return float64(results[0].Fleet[at].Seconds) < most*float64(results[0].Fleet[next].Seconds)
	}

	if len(times) > 2 && partly(times[0], times[1]) {
		times = times[1:]
	}

	if last := len(times) - 1; last > 1 && partly(times[last], times[last-1]) {
		times = times[:last]
	}

	return times
}

// withGaps puts a row of nothing where hours are missing, so that no line is drawn across.
func withGaps(times []int64, columns []numbers) ([]int64, []numbers) {
	var filled []int64

	spaced := make([]numbers, len(columns))

	for i, at := range times {
		if i > 0 && at > times[i-1]+1 {
			filled = append(filled, times[i-1]+1)

			for c := range columns {
				spaced[c] = append(spaced[c], math.NaN())
			}
		}

		filled = append(filled, at)

		for c := range columns {
			spaced[c] = append(spaced[c], columns[c][i])
		}
	}

	return filled, spaced
}
