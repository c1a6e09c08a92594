package queue

import "strings"

// tenant is the part of a service's key before the slash, for as long as it has items.
type tenant struct {
	name  string
	flows [triggerCount]flow
	depth [stateCount]int
	items int
}

// tenants are the tenants that have items.
type tenants map[string]*tenant

// of returns the tenant of a service, for one more item.
func (ts tenants) of(service string) *tenant {
	name, _, _ := strings.Cut(service, "/")

	t := ts[name]
	if t == nil {
		t = &tenant{name: name}
		for class := range t.flows {
			t.flows[class].index = nowhere
		}

		ts[name] = t
	}

	t.items++

	return t
}

// release gives one item up.
func (ts tenants) release(t *tenant) {
	if t.items--; t.items == 0 {
		delete(ts, t.name)
	}
}
