package watch

import (
	"slices"
	"strings"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// filter decides which recommendations a reader wants.
type filter struct {
	services   map[string]struct{}
	tenants    map[string]struct{}
	policies   map[string]struct{}
	modes      []tidemarkv1.Mode
	directions []tidemarkv1.Direction
	statuses   []tidemarkv1.Status
}

func newFilter(f *tidemarkv1.RecommendationFilter) filter {
	return filter{
		services:   set(f.GetServices()),
		tenants:    set(f.GetTenants()),
		policies:   set(f.GetPolicies()),
		modes:      f.GetModes(),
		directions: f.GetDirections(),
		statuses:   f.GetStatuses(),
	}
}

// concerns reports that the service may match, whatever its value: removals have no value to look at.
func (f filter) concerns(service string) bool {
	tenant, _, _ := strings.Cut(service, "/")

	return hasOrAny(f.services, service) && hasOrAny(f.tenants, tenant)
}

// matches reports that the reader wants the value.
func (f filter) matches(e *entry) bool {
	if e.removed() || !f.concerns(e.service) {
		return false
	}

	r := e.basic

	return hasOrAny(f.policies, r.GetPolicy().GetName()) &&
		containsOrAny(f.modes, r.GetMode()) &&
		containsOrAny(f.directions, r.GetDirection()) &&
		containsOrAny(f.statuses, r.GetStatus())
}

// byValue reports that a service may match now and not later.
func (f filter) byValue() bool {
	return len(f.policies) > 0 || len(f.modes) > 0 || len(f.directions) > 0 || len(f.statuses) > 0
}

func set(values []string) map[string]struct{} {
	members := make(map[string]struct{}, len(values))
	for _, v := range values {
		members[v] = struct{}{}
	}

	return members
}

// hasOrAny reports membership; an empty set holds everything.
func hasOrAny(members map[string]struct{}, value string) bool {
	if len(members) == 0 {
		return true
	}

	_, found := members[value]

	return found
}

// containsOrAny is hasOrAny for the few values of an enum.
func containsOrAny[T comparable](members []T, value T) bool {
	return len(members) == 0 || slices.Contains(members, value)
}
