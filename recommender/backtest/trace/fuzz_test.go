package trace_test

import (
	"bytes"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/recommender/backtest/trace"
)

// FuzzReader holds that whatever the file, reading ends, and what it yields is within the documented bounds and order.
func FuzzReader(f *testing.F) {
	f.Add([]byte(twoServices))
	f.Add([]byte(header + "a,1,1,1\na,2,1,1\nb,1,,\n"))
	f.Add([]byte(header + "a,253402300799,1000000,1125899906842624"))
	f.Add([]byte("\x1f\x8b"))

	f.Fuzz(func(t *testing.T, content []byte) {
		reader, err := trace.NewReader("fuzz", bytes.NewReader(content))
		if err != nil {
			return
		}

		seen := map[string]bool{}

		for series, err := range reader.Services() {
			if err != nil {
				return
			}

			require.False(t, seen[series.Service()])
			seen[series.Service()] = true

			last := int64(-1)

			for sample, err := range series.Samples() {
				if err != nil {
					break
				}

				require.Greater(t, sample.UnixSeconds, last)
				last = sample.UnixSeconds

				require.False(t, math.IsNaN(sample.CPUCores) || sample.CPUCores < 0 || sample.CPUCores > 1e6)
				require.False(t, sample.MemoryBytes < 0 || sample.MemoryBytes > 1<<50)
				require.True(t, sample.CPUKnown || sample.CPUCores == 0)
				require.True(t, sample.MemoryKnown || sample.MemoryBytes == 0)
			}
		}
	})
}

// FuzzServices holds the same for the services.
func FuzzServices(f *testing.F) {
	f.Add([]byte(servicesHeader + "db-1,lab,vm,1.5,2147483648,300,1000,4000,11,600,0.5,0.75,1.25,100,200,300\n"))
	f.Add([]byte(servicesHeader + "db-2,lab,job,,,60,0,0,1,0,1,1,1,,,\n"))

	f.Fuzz(func(t *testing.T, content []byte) {
		services, err := trace.ParseServices("fuzz", bytes.NewReader(content))
		if err != nil {
			return
		}

		for _, s := range services {
			require.NotEmpty(t, s.Name)
			require.Positive(t, s.Interval)
			require.False(t, s.Last.Before(s.First))
			require.False(t, s.ProvisionedCores < 0 || s.ProvisionedBytes < 0)
			require.LessOrEqual(t, s.CPU.Mean, s.CPU.Max)
			require.LessOrEqual(t, s.Memory.Mean, s.Memory.Max)
		}
	})
}
