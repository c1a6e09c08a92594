package queue

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// Config is how a Queue behaves.
type Config struct {
	// Slack is how long each trigger may wait.
	Slack Slack
	// Backoff is how long a failed item waits.
	Backoff Backoff
	// Breaker is when it is not the item's fault.
	Breaker BreakerConfig
	// BackoffLimit is the number of failures in a row after which an item is Failed.
	BackoffLimit int
	// MaxItems bounds the number of items in all states. The last tenth is closed to Periodic, the last twentieth also
	// to Manual.
	MaxItems int
	// RetryAfter is what a refused caller is told to wait.
	RetryAfter time.Duration
	// Rand returns a number in [0,n) for the jitter; nil takes a random one. It is called one call at a time.
	Rand func(n int64) int64
}

// Slack is how long after its enqueueing an item is due, by trigger.
type Slack struct {
	Signal, Manual, Periodic time.Duration
}

// Backoff is a delay that doubles with each failure. The delay used is drawn evenly from zero up to it.
type Backoff struct {
	// Base is the longest delay after the first failure.
	Base time.Duration
	// Cap is the longest delay of all, and the shortest time between a failure and the probe of a Failed item.
	Cap time.Duration
}

// Default returns the configuration that suits a fleet of 100,000 services.
func Default() Config {
	return Config{
		Slack:   Slack{Signal: 0, Manual: time.Second, Periodic: 5 * time.Minute},
		Backoff: Backoff{Base: time.Second, Cap: 5 * time.Minute},
		Breaker: BreakerConfig{
			Threshold: 5, Probe: Backoff{Base: time.Second, Cap: 30 * time.Second},
			RecoveryRate: 10, RecoveryTime: 10 * time.Second,
		},
		BackoffLimit: 6,
		MaxItems:     1_000_000,
		RetryAfter:   time.Second,
		Rand:         rand.Int64N,
	}
}

// Validate returns every fault of the configuration, joined.
func (c Config) Validate() error {
	return errors.Join(
		atLeast("slack of signal", c.Slack.Signal, 0),
		atLeast("slack of manual", c.Slack.Manual, 0),
		atLeast("slack of periodic", c.Slack.Periodic, 0),
		atLeast("backoff base", c.Backoff.Base, 1),
		atLeast("backoff cap", c.Backoff.Cap, c.Backoff.Base),
		atLeast("backoff limit", c.BackoffLimit, 1),
		atLeast("threshold of the breakers", c.Breaker.Threshold, 1),
		atLeast("shortest time between probes", c.Breaker.Probe.Base, 1),
		atLeast("longest time between probes", c.Breaker.Probe.Cap, c.Breaker.Probe.Base),
		atLeast("recovery rate", c.Breaker.RecoveryRate, 0.001),
		atLeast("recovery time", c.Breaker.RecoveryTime, 0),
		atLeast("maximum of items", c.MaxItems, 1),
		atLeast("retry-after", c.RetryAfter, 0),
	)
}

// atLeast returns an error when value is below least.
func atLeast[T int | float64 | time.Duration](what string, value, least T) error {
	if value >= least {
		return nil
	}

	return fmt.Errorf("queue: %s is %v, must be at least %v", what, value, least)
}

// of returns the slack of one trigger in nanoseconds.
func (s Slack) of(t Trigger) int64 {
	switch t {
	case Signal:
		return int64(s.Signal)
	case Manual:
		return int64(s.Manual)
	default:
		return int64(s.Periodic)
	}
}

// ceiling returns the longest delay after the given number of failures in a row, which is at least one.
func (b Backoff) ceiling(failures int) int64 {
	ceiling := int64(b.Base)
	for range failures - 1 {
		if ceiling >= int64(b.Cap)/2 {
			return int64(b.Cap)
		}

		ceiling *= 2
	}

	return ceiling
}

// limit returns how many items there may be for one more of the trigger to be taken.
func (c Config) limit(t Trigger) int {
	switch t {
	case Signal:
		return c.MaxItems
	case Manual:
		return c.MaxItems - c.MaxItems/20
	default:
		return c.MaxItems - c.MaxItems/10
	}
}
