package main

import (
	"math"
	"time"

	"github.com/tidemark-project/tidemark/recommender/backtest"
	"github.com/tidemark-project/tidemark/recommender/size"
)

// The defaults of the Vertical Pod Autoscaler's updater.
const (
	podLifetime = 12 * time.Hour   // --in-recommendation-bounds-eviction-lifetime-threshold
	minChange   = 0.10             // --pod-update-threshold
	quickKill   = 10 * time.Minute // --evict-after-oom-threshold
)

// rule is when the updater gives a pod another size (pkg/updater/priority/update_priority_calculator.go, AddPod): when a
// resource lies outside of its bounds; or when the pod is 12 hours old and the changes of all resources, as shares of
// what they are, add up to 10 %; or when the container was killed for lack of memory within 10 minutes of its start and
// the size would change. It is written anew because the original wants whole pods, which would take most of the time.
type rule struct {
	allocation size.Size
	started    time.Time // when the pod got its size; a change makes a new pod
	killed     time.Time // when the container was killed last; it starts again at once
	quick      bool      // that was soon after its start
}

func (r *rule) kill(at time.Time) {
	start := r.started
	if r.killed.After(start) {
		start = r.killed
	}

	r.killed, r.quick = at, at.Sub(start) < quickKill
}

// bounds are an answer of the Vertical Pod Autoscaler.
type bounds struct{ target, lower, upper size.Resources }

func (r *rule) applies(m backtest.Moment, b bounds) bool {
	if m.Allocation != r.allocation {
		r.allocation, r.started = m.Allocation, m.Now
	}

	has := m.Allocation.Resources()
	if !has.Covers(b.lower) || !b.upper.Covers(has) {
		return true
	}

	change := changeOf(has, b.target)

	if r.quick && m.Now.Sub(r.killed) < quickKill {
		return change > 0
	}

	return m.Now.Sub(r.started) >= podLifetime && change >= minChange
}

// changeOf adds up the changes of all resources, as shares of what they are.
func changeOf(has, target size.Resources) float64 {
	change := 0.0

	for _, resource := range size.Both() {
		now := float64(has.Get(resource))
		change += math.Abs(now-float64(target.Get(resource))) / max(now, 1)
	}

	return change
}
