package queue

import "strings"

// tenant is the part of a service's key before the slash.
type tenant struct {
	name  string
	flows [triggerCount]flow
	depth [stateCount]int
	items int
	// traffic lies in the same line of the cache as the number of items.
	traffic traffic
}

// oldest returns when the first request came of the oldest item that is first in its flow, or never when there is none.
func (t *tenant) oldest() int64 {
	oldest := int64(never)
	for class := range t.flows {
		oldest = min(oldest, t.flows[class].oldest())
	}

	return oldest
}

// tenants are the tenants that have items, and some that had: in a queue that is nearly empty, each item would else make
// its tenant anew.
type tenants struct {
	byName map[string]*tenant
	idle   int
	// spell is the number of the one that items come and leave in, at most as old as the latest mark of the rates.
	spell uint32
	// recent are those found lately, where the ends of their names point to: a map takes three times as long.
	recent [256]*tenant
}

// maxIdle is how many tenants without items are kept.
const maxIdle = 1024

func newTenants() tenants {
	return tenants{byName: make(map[string]*tenant)}
}

// of returns the tenant of a service, for one more item.
func (ts *tenants) of(service string) *tenant {
	name, _, _ := strings.Cut(service, "/")

	recent := &ts.recent[lastTwo(name)]
	if *recent == nil || (*recent).name != name {
		*recent = ts.find(name)
	}

	t := *recent
	if t.items == 0 {
		ts.idle--
	}

	t.items++
	t.traffic.came[t.traffic.turn(ts.spell)]++

	return t
}

// find returns a tenant, which is idle if it is a new one.
func (ts *tenants) find(name string) *tenant {
	t := ts.byName[name]
	if t == nil {
		t = newTenant(strings.Clone(name))
		ts.byName[t.name] = t
		ts.idle++
	}

	return t
}

// lastTwo tells names apart by their last two characters, of which each has its own half when it is a digit.
func lastTwo(name string) uint8 {
	switch n := len(name); n {
	case 0:
		return 0
	case 1:
		return name[0]
	default:
		return name[n-2]<<4 ^ name[n-1]
	}
}

// release gives one item up.
func (ts *tenants) release(t *tenant) {
	t.traffic.left[t.traffic.turn(ts.spell)]++

	if t.items--; t.items > 0 {
		return
	}

	if ts.idle++; ts.idle <= maxIdle {
		return
	}

	for name, t := range ts.byName {
		if t.items == 0 {
			delete(ts.byName, name)
			ts.recent[lastTwo(name)] = nil
		}
	}

	ts.idle = 0
}

func newTenant(name string) *tenant {
	t := &tenant{name: name}
	for class := range t.flows {
		t.flows[class].at = nowhere
	}

	return t
}
