package history

import (
	"math/bits"
	"slices"
	"strings"
	"time"

	"github.com/tidemark-project/tidemark/recommender/usage"
)

const (
	minutesOfHour  = 60
	millisOfMinute = 60_000
	millisOfHour   = minutesOfHour * millisOfMinute
)

// History is what is known of one service. Time is counted in whole minutes: the age of a minute is how many minutes the
// clock is past it, and 0 is the minute that is still going on. A window of L minutes holds the ages 0 to L-1. So nothing
// counts that is older than L, or that claims to come from a later minute.
type History struct {
	plan       *Plan
	nowMillis  int64
	thisMinute int64
	firstHour  int64 // number of the hour in which the oldest minute lies that matters
	replicas   map[string]*replica
	query      []int64 // peak by window
	rejections map[moment]int64
	kills      map[moment]int64
	newest     int64 // milliseconds; 0 when there is no sample
}

// replica is one replica's part. A restart may give a replica another name; then it is another one here.
type replica struct {
	name  string
	hours []*hour // oldest first; nil where nothing is known
}

// hour is what the minutes of an hour held.
type hour struct {
	cpu, resident uint64 // which minutes have a sample, one bit each
	nanos         [minutesOfHour]int64
	samples       [minutesOfHour]int64
	bytes         [minutesOfHour]int64
}

// moment is what makes an event one event.
type moment struct {
	replica string
	millis  int64
}

// New returns the history of a service of which nothing is known. The clock is in milliseconds since the epoch.
func (p *Plan) New(nowMillis int64) *History {
	thisMinute := nowMillis / millisOfMinute

	return &History{
		plan:       p,
		nowMillis:  nowMillis,
		thisMinute: thisMinute,
		firstHour:  (thisMinute - p.Reach() + 1) / minutesOfHour,
		replicas:   map[string]*replica{},
		query:      make([]int64, len(p.windows)),
	}
}

// replica returns the part of one replica, which may be new.
func (h *History) replica(name string) *replica {
	r, known := h.replicas[name]
	if !known {
		r = &replica{name: name, hours: make([]*hour, h.thisMinute/minutesOfHour-h.firstHour+1)}
		h.replicas[name] = r
	}

	return r
}

// sorted returns the replicas by name: sums of floating point numbers depend on the order.
func (h *History) sorted() []*replica {
	replicas := make([]*replica, 0, len(h.replicas))
	for _, r := range h.replicas {
		replicas = append(replicas, r)
	}

	slices.SortFunc(replicas, func(a, b *replica) int { return strings.Compare(a.name, b.name) })

	return replicas
}

// Snapshot returns what the request asks for, without the allocation and what comes with it.
func (h *History) Snapshot(service string) usage.Snapshot {
	snapshot := usage.Snapshot{
		Service:      service,
		Windows:      make([]usage.Window, len(h.plan.windows)),
		NewestSample: h.notLater(h.newest),
		ReadTime:     at(h.nowMillis),
	}

	for i, length := range h.plan.lengths {
		snapshot.Windows[i].Length = length
		snapshot.Windows[i].QueryMemoryPeakBytes = h.query[i]
	}

	replicas := h.sorted()

	if len(snapshot.Windows) > 0 {
		memory := h.largest(replicas)

		h.addCoverage(replicas, snapshot.Windows)
		h.addCPU(replicas, snapshot.Windows)
		memory.addResident(h.plan.windows, snapshot.Windows)
		h.addEvents(memory, snapshot.Windows)

		if h.plan.totals {
			h.addCPUTotals(replicas, snapshot.Windows)
			h.addResidentTotals(replicas, snapshot.Windows)
		}
	}

	if h.plan.cpu != nil {
		snapshot.CPUHistogram = h.plan.cpu.histogram(h, replicas, (*replica).eachCPU, nanosOfMilli)
		snapshot.MemoryHistogram = h.plan.memory.histogram(h, replicas, (*replica).eachResident, 1)
	}

	return snapshot
}

// notLater is a time that is not after the clock; the zero time for none. Clocks of replicas may be ahead.
func (h *History) notLater(millis int64) time.Time {
	if millis <= 0 {
		return time.Time{}
	}

	return at(min(millis, h.nowMillis))
}

func at(millis int64) time.Time { return time.UnixMilli(millis).UTC() }

// eachMinute calls visit for each minute of a set, the oldest first, with its age.
func (h *History) eachMinute(index int, set uint64, visit func(minute int, age int64)) {
	start := (h.firstHour + int64(index)) * minutesOfHour

	for ; set != 0; set &= set - 1 {
		minute := bits.TrailingZeros64(set)
		visit(minute, h.thisMinute-start-int64(minute))
	}
}

// eachCPU calls visit for each minute that has samples of CPU, the oldest first, with its age and its mean in
// billionths of a core.
func (r *replica) eachCPU(h *History, visit func(age int64, nanos float64)) {
	for i, known := range r.hours {
		if known != nil {
			h.eachMinute(i, known.cpu, func(minute int, age int64) { visit(age, known.mean(minute)) })
		}
	}
}

// eachResident calls visit for each minute that has samples of the resident memory, the oldest first, with its age and
// its peak in bytes.
func (r *replica) eachResident(h *History, visit func(age int64, bytes float64)) {
	for i, known := range r.hours {
		if known != nil {
			h.eachMinute(i, known.resident, func(minute int, age int64) { visit(age, float64(known.bytes[minute])) })
		}
	}
}

// mean is the mean of a minute that has samples, in billionths of a core.
func (m *hour) mean(minute int) float64 {
	return float64(m.nanos[minute]) / float64(m.samples[minute])
}
