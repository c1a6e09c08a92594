package clickhouse

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/tidemark-project/tidemark/internal/clickhouseschema"
	"github.com/tidemark-project/tidemark/recommender/usage"
)

// TestReadEqualsReference draws histories with gaps, several replicas, restarts, late and repeated rows and values that
// are no values, writes them in random pieces, and compares every field with the reference.
func TestReadEqualsReference(t *testing.T) {
	e := startEngine(t)
	round := 0

	rapid.Check(t, func(t *rapid.T) {
		round++

		// Near the present, because the tables drop what is old; across the edges of hours and days.
		now := time.Now().UTC().Truncate(24 * time.Hour).
			Add(time.Duration(rapid.Int64Range(0, 4*3600_000).Draw(t, "now")) * time.Millisecond)
		request := drawRequest(t)

		services := []string{fmt.Sprintf("t%d/a", round), fmt.Sprintf("t%d/b", round), fmt.Sprintf("t%d/none", round)}

		// Thousands of values come from one drawn seed: drawing each by itself would take most of the time.
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))

		samples := drawHistory(t, random, services[0], now)
		samples = append(samples, drawHistory(t, random, services[1], now)...)

		random.Shuffle(len(samples), func(i, j int) { samples[i], samples[j] = samples[j], samples[i] })

		for piece := range slices.Chunk(samples, 1+len(samples)/rapid.IntRange(1, 4).Draw(t, "pieces")) {
			e.insert(piece...)
		}

		got, err := e.readerAt(now).Read(t.Context(), services, request)
		if err != nil {
			t.Fatal(err)
		}

		for _, service := range services {
			want := reference(service, samples, request, now.Truncate(time.Millisecond))
			if diff := cmp.Diff(want, got[service], cmpopts.EquateApprox(1e-9, 1e-12)); diff != "" {
				t.Errorf("snapshot of %s (-want +got):\n%s", service, diff)
			}
		}
	})
}

// reach is how far back the drawn histories go: not as far as the longest that is asked for.
const reach = 140 * time.Minute

func drawRequest(t *rapid.T) usage.Request {
	request := usage.Request{
		Windows: []time.Duration{
			time.Duration(rapid.IntRange(1, 4).Draw(t, "short")) * 10 * time.Minute,
			time.Duration(rapid.IntRange(5, 14).Draw(t, "long")) * 10 * time.Minute,
		},
		Totals: rapid.Bool().Draw(t, "totals"),
	}

	if rapid.Bool().Draw(t, "histograms") {
		request.Histograms = usage.HistogramRequest{
			Span: time.Duration(rapid.IntRange(1, 3).Draw(t, "span")) * time.Hour,
			CPU:  usage.HistogramShape{Buckets: usage.CPUBuckets(), Decays: drawDecays(t)},
			Memory: usage.HistogramShape{
				Buckets: usage.MemoryBuckets(), Decays: drawDecays(t),
				PeakInterval: time.Duration(rapid.SampledFrom([]int64{0, 7, 60, 1440}).Draw(t, "interval")) * time.Minute,
			},
		}

		request.Windows = request.Windows[:rapid.IntRange(0, 2).Draw(t, "windows")]
	}

	return request
}

func drawDecays(t *rapid.T) []usage.Decay {
	if rapid.Bool().Draw(t, "mixture") {
		return []usage.Decay{{HalfLife: time.Minute, Share: 0.25}, {HalfLife: 24 * time.Hour, Share: 0.75}}
	}

	return []usage.Decay{{HalfLife: time.Hour, Share: 1}}
}

func drawHistory(t *rapid.T, random *rand.Rand, service string, now time.Time) []sample {
	var samples []sample

	// A restart gives a replica a new name; both may have samples in one minute.
	for replica := range rapid.IntRange(1, 3).Draw(t, "replicas") {
		name := fmt.Sprintf("r%d", replica)
		interval := time.Duration(rapid.SampledFrom([]int64{20_001, 30_000, 60_000, 300_000}).Draw(t, "interval")) * time.Millisecond
		from := now.Add(-reach - time.Duration(rapid.Int64Range(-600_000, 180_000).Draw(t, "from"))*time.Millisecond)
		// Clocks of replicas may be ahead of the server's.
		ahead := now.Add(time.Duration(rapid.Int64Range(-1_200_000, 120_000).Draw(t, "until")) * time.Millisecond)

		gap := rapid.IntRange(0, 5).Draw(t, "gap") // every gap-th quarter of an hour is missing

		for at := from; at.Before(ahead); at = at.Add(interval) {
			if gap > 0 && int(at.Unix()/900)%(gap+1) == 0 {
				continue
			}

			samples = append(samples, drawScrape(random, service, name, at.Truncate(time.Millisecond))...)
		}
	}

	if len(samples) > 0 && rapid.Bool().Draw(t, "repeat") {
		samples = append(samples, repeatEvents(samples)...)
	}

	return samples
}

// repeatEvents are the events once more, as an insert that is tried again writes them.
func repeatEvents(samples []sample) []sample {
	var repeated []sample

	for _, s := range samples {
		if s.metric == clickhouseschema.MetricRejections || s.metric == clickhouseschema.MetricOOMKill {
			repeated = append(repeated, s)
		}
	}

	return repeated
}

func drawScrape(random *rand.Rand, service, replica string, at time.Time) []sample {
	bits := random.Uint64()
	cores := float64(bits%8_000_000) / 1e6
	bytes := float64(bits>>20%(64<<30)) + float64(bits%3)/4
	odd := []float64{math.NaN(), math.Inf(1), math.Inf(-1), -cores - 1, 1e300, 0}

	samples := []sample{
		{service, replica, clickhouseschema.MetricCPU, at, cores},
		{service, replica, clickhouseschema.MetricResident, at, bytes},
		{service, replica, clickhouseschema.MetricQueryMemory, at, bytes / 3},
		{service, replica, "some_other_metric", at, 1e6},
	}

	switch bits >> 50 % 16 {
	case 0:
		samples[0].value = odd[bits>>54%6]
	case 1:
		samples[1].value = odd[bits>>54%6]
	case 2:
		samples = append(samples, sample{service, replica, clickhouseschema.MetricRejections, at, float64(bits >> 54 % 9)})
	case 3:
		samples = append(samples, sample{service, replica, clickhouseschema.MetricOOMKill, at, bytes * float64(bits>>54%2)})
	case 4:
		samples = append(samples, sample{service, replica, clickhouseschema.MetricRejections, at, odd[bits>>54%6]})
	case 5:
		samples = samples[:1]
	case 6:
		samples = samples[1:]
	}

	return samples
}
