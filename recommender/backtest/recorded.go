package backtest

import (
	"errors"
	"math"

	"github.com/tidemark-project/tidemark/recommender/backtest/trace"
	"github.com/tidemark-project/tidemark/recommender/size"
)

// Recorded is a file of samples in the format of package trace, plain or packed. The services say what was provisioned;
// one that is not among them is played without that.
func Recorded(path string, services map[string]trace.Service) Source {
	return func(yield func(*Series, error) bool) {
		reader, err := trace.Open(path)
		if err != nil {
			yield(nil, err)

			return
		}

		stopped, err := yieldAll(reader, services, yield)
		if err := errors.Join(err, reader.Close()); err != nil && !stopped {
			yield(nil, err)
		}
	}
}

func yieldAll(
	reader *trace.Reader, services map[string]trace.Service, yield func(*Series, error) bool,
) (stopped bool, err error) {
	var samples []trace.Sample

	for series, err := range reader.Services() {
		if err != nil {
			return false, err
		}

		if samples, err = series.AppendTo(samples[:0]); err != nil {
			return false, err
		}

		if !yield(NewSeries(series.Service(), samples, services[series.Service()]), nil) {
			return true, nil
		}
	}

	return false, nil
}

// NewSeries takes over recorded samples. Samples of one minute become one, as in the usage store: the mean of CPU and the
// highest memory.
func NewSeries(name string, recorded []trace.Sample, service trace.Service) *Series {
	s := &Series{
		Service: name,
		Provisioned: size.Resources{
			CPUMillis: ceil(nanos(service.ProvisionedCores) / nanosPerMilli), MemoryBytes: service.ProvisionedBytes,
		},
		Samples: make([]Sample, 0, len(recorded)),
	}

	if service.Name != "" {
		s.Labels = map[string]string{"source": service.Source, "kind": service.Kind}
	}

	for len(recorded) > 0 {
		end := 1
		for end < len(recorded) && recorded[end].UnixSeconds/60 == recorded[0].UnixSeconds/60 {
			end++
		}

		s.Samples = append(s.Samples, folded(recorded[:end]))
		recorded = recorded[end:]
	}

	s.SetStretches()

	return s
}

// folded is one minute.
func folded(minute []trace.Sample) Sample {
	folded := Sample{Time: minute[len(minute)-1].UnixSeconds}
	known, total := 0, 0.0

	for _, s := range minute {
		if s.CPUKnown {
			known++
			total += nanos(s.CPUCores)
		}

		if s.MemoryKnown {
			folded.MemoryKnown = true
			folded.MemoryBytes = max(folded.MemoryBytes, s.MemoryBytes)
		}
	}

	if known > 0 {
		folded.CPUKnown = true
		folded.CPUMillis = total / float64(known) / nanosPerMilli
	}

	return folded
}

const nanosPerMilli = 1e6

// nanos are cores in whole nanocores, as the usage store keeps them.
func nanos(cores float64) float64 { return math.Round(cores * 1e9) }

// ceil rounds up to a whole unit.
func ceil(amount float64) int64 { return int64(math.Ceil(amount)) }
