package policies

import (
	"iter"
	"strings"
)

// index finds the policies that may be for a service without trying all of them: most name the tenants they are for.
type index struct {
	// byTenant are the places of the policies with a glob whose tenant has no wildcard, in their order.
	byTenant map[string][]int
	// others are those that may be for any tenant.
	others []int
}

// add takes in the next policy.
func (x *index) add(place int, m *matcher) {
	if len(m.services) == 0 {
		x.others = append(x.others, place)

		return
	}

	for _, glob := range m.services {
		tenant, _, _ := strings.Cut(glob, "/")

		if strings.ContainsAny(tenant, `*?[\`) {
			x.others = appendOnce(x.others, place)

			continue
		}

		if x.byTenant == nil {
			x.byTenant = map[string][]int{}
		}

		x.byTenant[tenant] = appendOnce(x.byTenant[tenant], place)
	}
}

func appendOnce(places []int, place int) []int {
	if n := len(places); n > 0 && places[n-1] == place {
		return places
	}

	return append(places, place)
}

// candidates are the places of all policies that may be for a key or cover a glob, in their order.
func (x *index) candidates(key string) iter.Seq[int] {
	tenant, _, _ := strings.Cut(key, "/")

	return func(yield func(int) bool) {
		some, others := x.byTenant[tenant], x.others

		for len(some) > 0 || len(others) > 0 {
			next := some
			if len(some) == 0 || len(others) > 0 && others[0] < some[0] {
				next = others
			}

			place := next[0]

			if !yield(place) {
				return
			}

			some, others = after(some, place), after(others, place)
		}
	}
}

// after drops the first place if it is the given one: a policy may be in both lists.
func after(places []int, place int) []int {
	if len(places) > 0 && places[0] == place {
		return places[1:]
	}

	return places
}
