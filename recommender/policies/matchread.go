package policies

import (
	"cmp"
	"path"
	"slices"
	"strings"
)

// readMatch reads which services a policy is for; false when something was wrong.
func (r *reader) readMatch(item *node) (matcher, bool) {
	before := r.noted()

	var m matcher

	n := item.get("match")

	switch {
	case n == nil:
		r.failf(item, `matches nothing: write match: {services: ["prod/orders-*"]}, match: {labels: {tier: gold}}, or both`)

		return m, false
	case n.kind != mapping:
		r.failf(n, "is %s: write services, labels, or both", n.kind)

		return m, false
	}

	refuseUnknown(r, n, []string{"services", "labels"})

	services, labels := n.get("services"), n.get("labels")
	if services == nil && labels == nil {
		r.failf(n, `is empty: write services: ["prod/orders-*"], labels: {tier: gold}, or both; services: ["*/*"] is for all`)
	}

	if services != nil {
		m.services = r.readGlobs(services)
	}

	if labels != nil {
		m.labels = r.readLabels(labels)
	}

	return m, r.noted() == before
}

func (r *reader) readGlobs(n *node) []string {
	if n.kind != sequence || len(n.items) == 0 {
		r.failf(n, `names no service: write a list of globs, such as ["prod/orders-*"], or ["*/*"] for all`)

		return nil
	}

	globs := make([]string, 0, len(n.items))
	seen := make(map[string]bool, len(n.items))

	for _, item := range n.items {
		if item.kind != scalar {
			r.failf(item, "is %s: write a glob in quotes, such as \"prod/orders-*\"", item.kind)

			continue
		}

		glob := item.text

		switch slashes := strings.Count(glob, "/"); {
		case !r.checkGlob(item):
		case slashes != 1 && !strings.Contains(glob, "["):
			r.failf(item, "%s matches no service: a key is tenant/name and * does not cross the /; write one such as %s",
				quote(glob), quote(everyService))
		case seen[glob]:
			r.failf(item, "%s is there already: remove one of the two", quote(glob))
		default:
			globs = append(globs, glob)
			seen[glob] = true
		}
	}

	return globs
}

func (r *reader) readLabels(n *node) []label {
	if n.kind != mapping || len(n.entries) == 0 {
		r.failf(n, "names no label: write a map of names and globs of values, such as {tier: gold}")

		return nil
	}

	var labels []label

	for _, e := range n.entries {
		if e.value.kind != scalar {
			r.failf(e.value, "is %s: write a glob of the label's value, such as gold, or * for any", e.value.kind)

			continue
		}

		if r.checkGlob(e.value) {
			labels = append(labels, label{name: e.name, value: e.value.text})
		}
	}

	slices.SortFunc(labels, func(a, b label) int { return cmp.Compare(a.name, b.name) })

	return labels
}

// checkGlob notes a glob that can match nothing because it is not one.
func (r *reader) checkGlob(n *node) bool {
	if _, err := path.Match(n.text, ""); err != nil {
		r.failf(n, `%s is not a glob: close each [ with ], and write \ in front of a character that stands for itself`, quote(n.text))

		return false
	}

	return true
}
