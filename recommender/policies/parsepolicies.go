package policies

import (
	"strings"
	"unicode"
)

// maxNameBytes is how long the name of a policy may be.
const maxNameBytes = 128

// readPolicies reads the policies in their order, which is the one in which they are tried.
func (r *reader) readPolicies(list, base *node, s *Set) {
	lines := map[string]int{}

	for _, item := range list.items {
		if item.kind != mapping {
			r.failf(item, "is %s: write a policy, such as {name: gold, match: {labels: {tier: gold}}}", item.kind)

			continue
		}

		d := draft{name: r.readName(item, lines), own: item}
		d.layer = &layer{name: "policy " + d.name}
		item.assign(d.layer)
		r.refuseUnknownInPolicy(item, "")

		m, matchable := r.readMatch(item)
		if matchable {
			r.refuseUnreachable(item, &m, s)
		}

		d.merged = sortCatalogue(inherit(base, without(without(item, "name"), "match")))

		// A set with a problem is not used; until the end it serves to find more.
		if effective := r.evaluate(d); matchable {
			s.add(newClass(m, effective, d))
		}
	}
}

// readName reads the name of a policy, which must be its own.
func (r *reader) readName(item *node, lines map[string]int) string {
	n := item.get("name")

	switch {
	case n == nil || n.kind == null:
		r.failf(item, "has no name: write name: gold, or any other that says what it is for")

		return ""
	case n.kind != scalar || n.text == "" || len(n.text) > maxNameBytes || strings.ContainsFunc(n.text, isUnfit):
		r.failf(n, "is not a name: write 1 to %d characters without spaces", maxNameBytes)

		return ""
	case n.text == defaultName:
		r.failf(n, "%s is the name of what holds when no policy matches: choose another one", quote(n.text))
	case lines[n.text] > 0:
		r.failf(n, "%s is the name of the policy in line %d as well: choose another one", quote(n.text), lines[n.text])
	default:
		lines[n.text] = n.line
	}

	return n.text
}

func isUnfit(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }

// refuseUnreachable notes a policy that never applies, because an earlier one matches all that it matches.
func (r *reader) refuseUnreachable(item *node, m *matcher, s *Set) {
	first := everyService
	if len(m.services) > 0 {
		first = m.services[0]
	}

	for place := range s.index.candidates(first) {
		r.comparisons--
		if r.comparisons < 0 {
			return
		}

		earlier := s.classes[place]
		if earlier.match.covers(m) {
			r.failf(item.get("match"), "never applies: policy %s in line %d comes first and matches all of it; "+
				"move this one up or narrow that one", quote(earlier.name), earlier.own.line)

			return
		}
	}
}
