package html

import (
	"math"

	"github.com/tidemark-project/tidemark/recommender/backtest"
	"github.com/tidemark-project/tidemark/recommender/size"
)

// The page is to stay well below 5 MB, however much is drawn: all charts of services share so many points.
const (
	pointBudget     = 100_000
	pointsPerBucket = 4 // on average; six series of extremes, many of which fall together
	mostBuckets     = 300
	fewestBuckets   = 8
)

// bucketsFor is how many stretches each chart of a service is drawn in.
func bucketsFor(report *Report) int {
	charts := 0

	for i := range report.Recordings {
		for _, tracks := range report.Recordings[i].Tracks {
			charts += 2 * len(tracks)
		}
	}

	return min(mostBuckets, max(fewestBuckets, pointBudget/pointsPerBucket/max(1, charts)))
}

func newTracks(tracks []backtest.Track, buckets int) []trackData {
	all := make([]trackData, 0, len(tracks))

	for i := range tracks {
		all = append(all, trackData{
			Service: tracks[i].Service,
			CPU: newLine(&tracks[i], buckets, func(p *backtest.Point) (row [3]float64, known bool) {
				const millis = 1000

				return [...]float64{
					p.Sample.CPUMillis / millis, total(p.Allocation, size.CPU) / millis, total(p.Recommended, size.CPU) / millis,
				}, p.Sample.CPUKnown
			}),
			Memory: newLine(&tracks[i], buckets, func(p *backtest.Point) (row [3]float64, known bool) {
				const gibibyte = 1 << 30

				return [...]float64{
					float64(p.Sample.MemoryBytes) / gibibyte, total(p.Allocation, size.Memory) / gibibyte,
					total(p.Recommended, size.Memory) / gibibyte,
				}, p.Sample.MemoryKnown
			}),
		})
	}

	return all
}

// newLine reads use, allocation and recommendation of each point. After a gap a point without use comes first.
func newLine(track *backtest.Track, buckets int, read func(*backtest.Point) ([3]float64, bool)) *lineData {
	var (
		times   []int64
		columns = make([]numbers, 3)
		last    *backtest.Point
		some    bool
	)

	add := func(at int64, row [3]float64) {
		times = append(times, at)
		for i, value := range row {
			columns[i] = append(columns[i], value)
		}
	}

	for i := range track.Points {
		point := &track.Points[i]

		row, known := read(point)
		some = some || known

		if !known {
			row[0] = math.NaN()
		}

		if last != nil && point.Sample.Time-last.Sample.Time > 3*last.Sample.Seconds {
			before, _ := read(last)
			add(last.Sample.Time+last.Sample.Seconds, [...]float64{math.NaN(), before[1], before[2]})
		}

		add(point.Sample.Time, row)

		last = point
	}

	if !some {
		return nil
	}

	kept := extremes(columns, buckets)
	line := &lineData{Used: columns[0].pick(kept), Given: columns[1].pick(kept), Recommended: columns[2].pick(kept)}

	for _, i := range kept {
		line.Times = append(line.Times, times[i])
	}

	return line
}

// total is what all replicas have.
func total(of size.Size, resource size.Resource) float64 {
	return float64(of.Resources().Get(resource)) * float64(of.Replicas)
}
