package watch

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/labels"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// Filter decides which recommendations a reader wants. The zero one wants all. It does not change.
type Filter struct {
	services   map[string]struct{}
	tenants    map[string]struct{}
	policies   map[string]struct{}
	modes      []tidemarkv1.Mode
	directions []tidemarkv1.Direction
	statuses   []tidemarkv1.Status
	selector   labels.Selector // nil for none
	minChange  float64         // percent; 0 for none
}

// ParseFilter reads what a caller asks for, which may be nil for everything. The error is a FilterError.
func ParseFilter(f *tidemarkv1.RecommendationFilter) (*Filter, error) {
	selector, err := parseSelector(f.GetLabelSelector())
	if err != nil {
		return nil, err
	}

	return &Filter{
		services:   set(f.GetServices()),
		tenants:    set(f.GetTenants()),
		policies:   set(f.GetPolicies()),
		modes:      f.GetModes(),
		directions: f.GetDirections(),
		statuses:   f.GetStatuses(),
		selector:   selector,
		minChange:  f.GetMinChangePercent(),
	}, nil
}

// concerns reports that the service may match, whatever its value: removals have no value to look at.
func (f *Filter) concerns(service string) bool {
	tenant, _, _ := strings.Cut(service, "/")

	return hasOrAny(f.services, service) && hasOrAny(f.tenants, tenant)
}

// matches reports that the reader wants the value.
func (f *Filter) matches(e *entry) bool {
	if e.removed() || !f.concerns(e.service) {
		return false
	}

	r := e.basic

	return hasOrAny(f.policies, r.GetPolicy().GetName()) &&
		containsOrAny(f.modes, r.GetMode()) &&
		containsOrAny(f.directions, r.GetDirection()) &&
		containsOrAny(f.statuses, r.GetStatus()) &&
		(f.selector == nil || f.selector.Matches(labels.Set(r.GetLabels()))) &&
		(f.minChange == 0 || changesBy(r, f.minChange))
}

// byValue reports that a service may match now and not later.
func (f *Filter) byValue() bool {
	return len(f.policies) > 0 || len(f.modes) > 0 || len(f.directions) > 0 || len(f.statuses) > 0 ||
		f.selector != nil || f.minChange != 0
}

// set holds the values; nil for none.
func set(values []string) map[string]struct{} {
	if len(values) == 0 {
		return nil
	}

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
