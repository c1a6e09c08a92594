package backtest

import (
	"errors"
	"fmt"
	"time"

	"github.com/tidemark-project/tidemark/recommender/size"
)

// Config says how to replay.
type Config struct {
	// Interval is the time between two regular questions, whole minutes.
	Interval time.Duration
	// Delay is how long a change takes.
	Delay time.Duration
	// Warmup is how much of the beginning of each service is played but not judged.
	Warmup time.Duration
	// Signals asks at once when a sample did not fit into the allocation.
	Signals bool
	// Capped lets players see only as much use as the allocation can hold, as of a service that is really held to it.
	Capped bool
	// Start is the first size; a resource of 0 leaves it to the recording.
	Start size.Size
	// Workers is how many services are played at once; 0 for as many as there are processors.
	Workers int
	// Progress, if set, is told after each service. It is called by one goroutine at a time.
	Progress func(Progress)
}

// Progress is how far a replay is.
type Progress struct {
	// Services is how many were played by all contenders. Samples and Decisions are those of all contenders.
	Services, Samples, Decisions int64
}

// Defaults are 10 minutes between questions, 5 minutes for a change, a day to warm up, and the fast path.
func Defaults() Config {
	return Config{Interval: 10 * time.Minute, Delay: 5 * time.Minute, Warmup: 24 * time.Hour, Signals: true}
}

// Validate returns every problem, joined.
func (c *Config) Validate() error {
	var problems []error

	check := func(ok bool, format string, args ...any) {
		if !ok {
			problems = append(problems, fmt.Errorf(format, args...))
		}
	}

	check(c.Interval >= time.Minute && c.Interval%time.Minute == 0, "interval %s: must be whole minutes, at least one", c.Interval)
	check(c.Delay >= 0 && c.Delay%time.Second == 0, "delay %s: must be whole seconds, 0 or more", c.Delay)
	check(c.Warmup >= 0, "warm-up %s: must be 0 or more", c.Warmup)
	check(c.Workers >= 0, "workers %d: must be 0 or more", c.Workers)
	check(c.Start.CPUMillis >= 0 && c.Start.MemoryBytes >= 0 && c.Start.Replicas >= 0, "start %s: must not be negative", c.Start)

	return errors.Join(problems...)
}
