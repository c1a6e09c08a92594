package demo

import (
	"errors"
	"fmt"
	"time"

	"github.com/tidemark-project/tidemark/internal/clickhouseconn"
)

// Config says what is demonstrated and how.
type Config struct {
	// Fleet is how many services there are; with a recording, how many of it at most.
	Fleet int
	// Seed makes made-up fleets differ.
	Seed uint64
	// Usage and Services are the files of a recording to replay instead; Services may be empty.
	Usage, Services string

	// ClickHouse is how to reach a ClickHouse that runs already; without an address one is started.
	ClickHouse clickhouseconn.Config
	// EngineAddr, ServerAddr and HTTPAddr are where the ClickHouse and the server listen; empty takes free ports.
	EngineAddr, ServerAddr, HTTPAddr string

	// PollInterval is how often the source looks for signals.
	PollInterval time.Duration
	// SweepPeriod is how often every service is evaluated without a signal.
	SweepPeriod time.Duration
	// ScrapeInterval is the time between two samples of a service.
	ScrapeInterval time.Duration
	// ResizeDelay is how long the platform takes to give a service another size.
	ResizeDelay time.Duration
	// RestartDelay is how long a process that has died stays dead.
	RestartDelay time.Duration
	// StopGrace is how long a process may take to stop before it is killed.
	StopGrace time.Duration

	// Once shows nothing, ends after the first scale-up and prints its result.
	Once bool
	// JSON prints that result as JSON.
	JSON bool
	// Timeout bounds, with Once, how long getting ready may take, and then again how long the scale-up may take.
	Timeout time.Duration
	// Keep keeps the data and the logs.
	Keep bool
	// Executable is the program whose subcommands are run.
	Executable string
}

const (
	minFleet, maxFleet = 10, 100_000
	// minSweep leaves time for the story between two evaluations of its service, if polls are not too far apart.
	minSweep         = 30 * time.Second
	minPoll, maxPoll = 100 * time.Millisecond, time.Minute
	// maxScrape keeps the data fresh enough to lower a size.
	minScrape, maxScrape = time.Second, 5 * time.Minute
)

// Validate reports everything that is wrong with the settings, in terms of their flags.
func (c *Config) Validate() error {
	var errs []error

	check := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}

	check(c.Fleet >= minFleet && c.Fleet <= maxFleet, "--fleet: must be %d to %d, not %d", minFleet, maxFleet, c.Fleet)
	check(c.Usage != "" || c.Services == "", "--services: has no effect without --usage")
	check(c.Once || !c.JSON, "--json: has no effect without --once")
	check(c.PollInterval >= minPoll && c.PollInterval <= maxPoll,
		"--poll-interval: must be %s to %s, not %s", minPoll, maxPoll, c.PollInterval)
	check(c.SweepPeriod >= minSweep+c.PollInterval,
		"--sweep-period: must be at least %s longer than --poll-interval, not %s", minSweep, c.SweepPeriod)
	check(c.ScrapeInterval >= minScrape && c.ScrapeInterval <= maxScrape,
		"--scrape-interval: must be %s to %s, not %s", minScrape, maxScrape, c.ScrapeInterval)
	check(c.ResizeDelay >= 0, "--resize-delay: must not be negative, but is %s", c.ResizeDelay)
	check(c.RestartDelay > 0, "--restart-delay: must be more than 0, not %s", c.RestartDelay)
	check(c.StopGrace > 0, "--stop-grace: must be more than 0, not %s", c.StopGrace)
	check(c.Timeout > 0, "--timeout: must be more than 0, not %s", c.Timeout)
	check(c.EngineAddr == "" || !c.external(), "--engine-listen: has no effect with --clickhouse-addr")

	return errors.Join(errs...)
}

// external reports that the ClickHouse runs already.
func (c *Config) external() bool { return len(c.ClickHouse.Addr) > 0 }
