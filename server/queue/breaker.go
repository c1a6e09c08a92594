package queue

import (
	"math"
	"time"
)

// BreakerState is whether a dependency of evaluations is held to be there.
type BreakerState uint8

// The states of a breaker.
const (
	// Closed means that it is there.
	Closed BreakerState = iota
	// Recovering means that it has answered again: the items that have waited are handed out at a rate that grows.
	Recovering
	// Probing means that one item was handed out to see whether it is back.
	Probing
	// Open means that it is not there: nothing is handed out until the next probe.
	Open
)

// String returns the state's name in lower case.
func (s BreakerState) String() string {
	switch s {
	case Closed:
		return "closed"
	case Recovering:
		return "recovering"
	case Probing:
		return "probing"
	case Open:
		return "open"
	default:
		return unknown
	}
}

// BreakerConfig is when the queue stops handing out because something that evaluations need is not there.
type BreakerConfig struct {
	// Dependencies are the names of what evaluations need, such as "usage store".
	Dependencies []string
	// Threshold is how many evaluations in a row must fail for want of a dependency before it is held to be missing.
	Threshold int
	// Probe is the time between probes: at least half of it, the rest drawn evenly.
	Probe Backoff
	// RecoveryRate is how many items a second are handed out when a dependency is back. It doubles every second.
	RecoveryRate float64
	// RecoveryTime is after how long the rate is not bounded any more.
	RecoveryTime time.Duration
}

// breaker follows one dependency. Its times are the queue's clock's.
type breaker struct {
	name  string
	state BreakerState
	// failures in a row while it is closed or recovering.
	failures int
	// openings since it was closed for the last time.
	openings int
	// opens is when the next item may be handed out while the breaker is open or recovering.
	opens int64
	// probe is the item that was handed out to see.
	probe uint64
	// opener is the item that showed that the dependency is missing, or still is; tripped means that it was there before.
	opener  uint64
	tripped bool
	// recovery is when the dependency answered again for the last time.
	recovery int64
	// message is the latest failure, since when it was first held to be missing.
	message string
	since   int64
	trips   uint64
}

// next returns from when on an item may be handed out, or never when only the end of an evaluation can tell.
func (b *breaker) next() int64 {
	switch b.state {
	case Open, Recovering:
		return b.opens
	case Probing:
		return never
	case Closed:
	}

	return math.MinInt64
}

// handOut notes that an item is handed out, which next must allow.
func (b *breaker) handOut(r *run, cfg *BreakerConfig) {
	switch b.state {
	case Open:
		b.state, b.probe, r.probes = Probing, r.id, b.name
	case Recovering:
		if b.settle(r.started, cfg); b.state == Closed {
			return
		}

		doublings := math.Floor(time.Duration(r.started - b.recovery).Seconds())
		interval := int64(float64(time.Second) / (cfg.RecoveryRate * math.Exp2(doublings)))
		b.opens = min(r.started+interval, b.recovery+int64(cfg.RecoveryTime))
	case Closed, Probing:
	}
}

// settle closes a breaker that has recovered for long enough.
func (b *breaker) settle(at int64, cfg *BreakerConfig) {
	if b.state == Recovering && time.Duration(at-b.recovery) >= cfg.RecoveryTime {
		*b = breaker{name: b.name, trips: b.trips, recovery: b.recovery}
	}
}

// answered notes that an evaluation found the dependency there.
func (b *breaker) answered(r *run, at int64) {
	b.failures = 0

	if b.probe == r.id && b.state == Probing {
		b.state, b.probe, b.opener = Recovering, 0, 0
		b.recovery, b.opens = at, at
	}
}

// failed notes that an evaluation did not. delay gives the time until the next probe.
func (b *breaker) failed(r *run, at int64, message string, cfg *BreakerConfig, delay func(openings int) int64) {
	b.settle(at, cfg)

	switch b.state {
	case Closed, Recovering:
		if b.outlived(r) {
			return
		}

		b.failures++
		if b.failures < cfg.Threshold {
			return
		}

		if b.state == Closed {
			b.since = at
		}
	case Probing:
		if b.probe != r.id {
			return
		}
	case Open:
		return
	}

	// A probe that fails finds nothing new.
	if b.tripped = b.state != Probing; b.tripped {
		b.trips++
	}

	b.state, b.probe, b.opener, b.message = Open, 0, r.id, message
	b.openings++
	b.opens = at + delay(b.openings)
}

// outlived reports whether an evaluation began before an outage that is over: it says nothing about the time since.
func (b *breaker) outlived(r *run) bool {
	return r.started < b.recovery
}

// unsettled notes that an evaluation ended without telling: when it was the probe, another one is due.
func (b *breaker) unsettled(r *run, at int64) {
	if b.probe == r.id && b.state == Probing {
		b.state, b.probe, b.opens = Open, 0, at
	}
}
