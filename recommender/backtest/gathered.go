package backtest

import (
	"maps"
	"slices"
	"sync"
)

// gathered puts together what the services of a recording came to.
type gathered struct {
	mutex    sync.Mutex
	progress Progress
	report   func(Progress)
	services []*ordered[ServiceResult] // by contender
	fleets   []map[int64]Hour
}

func newGathered(report func(Progress), contenders []Contender) *gathered {
	g := &gathered{report: report}

	for range contenders {
		g.services = append(g.services, newOrdered[ServiceResult]())
		g.fleets = append(g.fleets, map[int64]Hour{})
	}

	return g
}

// take adds a service, which is the at-th of the recording. The contenders of a service come one after the other.
func (g *gathered) take(contender, at int, r *replay) {
	g.services[contender].put(at, r.result())

	g.mutex.Lock()
	defer g.mutex.Unlock()

	r.score.fleet.addTo(g.fleets[contender])

	if contender == len(g.services)-1 {
		g.progress.Services++
	}

	g.progress.Samples += int64(len(r.series.Samples))
	g.progress.Decisions += r.decisions

	if g.report != nil {
		g.report(g.progress)
	}
}

// ordered collects values that come in any order.
type ordered[V any] struct {
	mutex  sync.Mutex
	values map[int]V
}

func newOrdered[V any]() *ordered[V] {
	return &ordered[V]{values: map[int]V{}}
}

func (o *ordered[V]) put(at int, value V) {
	o.mutex.Lock()
	defer o.mutex.Unlock()

	o.values[at] = value
}

// all returns the values in order.
func (o *ordered[V]) all() []V {
	o.mutex.Lock()
	defer o.mutex.Unlock()

	all := make([]V, 0, len(o.values))
	for _, at := range slices.Sorted(maps.Keys(o.values)) {
		all = append(all, o.values[at])
	}

	return all
}
