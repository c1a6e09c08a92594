package policies

import (
	"path"
	"slices"
	"strings"
)

// matcher says which services a policy is for.
type matcher struct {
	// services are globs of keys, of which one has to match; none means every service.
	services []string
	// labels are globs of values, of which all have to match; sorted by name.
	labels []label
}

// label is a label that a service must have, and the glob that its value must match.
type label struct{ name, value string }

// find returns which glob of the keys matches, 0 when there are none, and -1 when the policy is not for the service.
func (m *matcher) find(service string, labels map[string]string) int {
	for _, l := range m.labels {
		if value, has := labels[l.name]; !has || !matches(l.value, value) {
			return -1
		}
	}

	if len(m.services) == 0 {
		return 0
	}

	return slices.IndexFunc(m.services, func(glob string) bool { return matches(glob, service) })
}

// matches reports that a glob matches. Globs have been checked, so there is no error.
func matches(glob, text string) bool {
	matched, err := path.Match(glob, text)

	return matched && err == nil
}

// describe says what has to hold, with one of the globs of the keys: "prod/orders-* and tier=gold".
func (m *matcher) describe(i int) string {
	var parts []string

	if len(m.services) > 0 {
		parts = append(parts, m.services[i])
	}

	for _, l := range m.labels {
		parts = append(parts, l.name+"="+l.value)
	}

	return strings.Join(parts, " and ")
}

// covers reports that every service which the other one matches is matched by m as well. It sees the plain cases: a glob
// that is the same, that matches everything, or that matches a name without wildcards.
func (m *matcher) covers(other *matcher) bool {
	for _, l := range m.labels {
		if !slices.ContainsFunc(other.labels, func(o label) bool { return o.name == l.name && globCovers(l.value, o.value) }) {
			return false
		}
	}

	if len(m.services) == 0 {
		return true
	}

	candidates := other.services
	if len(candidates) == 0 {
		candidates = []string{everyService}
	}

	for _, glob := range candidates {
		if !slices.ContainsFunc(m.services, func(own string) bool { return globCovers(own, glob) }) {
			return false
		}
	}

	return true
}

// everyService is the glob that matches all keys.
const everyService = "*/*"

// globCovers reports that a glob matches all that a narrower one matches, one part between slashes after the other.
func globCovers(wide, narrow string) bool {
	if wide == narrow {
		return true
	}

	if !strings.ContainsAny(wide, "*?") || strings.ContainsAny(wide, `[\`) || strings.ContainsAny(narrow, `[\`) {
		return !strings.ContainsAny(narrow, `*?[\`) && matches(wide, narrow)
	}

	widePart, wideRest, wideMore := strings.Cut(wide, "/")
	narrowPart, narrowRest, narrowMore := strings.Cut(narrow, "/")
	literal := !strings.ContainsAny(narrowPart, "*?")

	covered := widePart == "*" || widePart == narrowPart || literal && matches(widePart, narrowPart)

	return covered && wideMore == narrowMore && (!wideMore || globCovers(wideRest, narrowRest))
}
