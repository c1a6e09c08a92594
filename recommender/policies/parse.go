package policies

import (
	_ "embed"
)

//go:embed builtin.yaml
var builtinYAML []byte

// defaultName is the name of what holds for the services that no policy matches.
const defaultName = "default"

// Parse reads a policy file. name is what its problems call the file. The error is a *ParseError with every problem there is,
// in the order of the lines.
func Parse(name string, content []byte) (*Set, error) {
	r := newReader(name)
	root := r.parseDocument(content)

	if root == nil {
		return nil, r.err()
	}

	s := r.readSet(root)
	if err := r.err(); err != nil {
		return nil, err
	}

	s.hash = s.computeHash()

	return s, nil
}

// builtinLayer is what holds when nobody says anything.
var builtinLayer = &layer{name: "built-in"}

// builtin is the lowest layer.
func builtin() *node {
	r := newReader("built-in policy")
	root := r.parseDocument(builtinYAML)

	if err := r.err(); err != nil {
		panic(err) // a test reads it
	}

	root.assign(builtinLayer)
	forget(root)

	return root
}

// forget takes the lines away, which mean nothing outside of the file.
func forget(n *node) {
	n.line, n.column = 0, 0

	for i := range n.entries {
		n.entries[i].line, n.entries[i].column = 0, 0
		forget(n.entries[i].value)
	}

	for _, item := range n.items {
		forget(item)
	}
}

// readSet reads the whole file.
func (r *reader) readSet(root *node) *Set {
	s := &Set{}

	if root.kind != mapping {
		r.failf(root, "the file is %s: write defaults, policies or both", root.kind)

		return s
	}

	refuseUnknown(r, root, []string{"defaults", "policies"})

	base := r.readDefaults(root.get("defaults"), s)

	switch list := root.get("policies"); {
	case list == nil || list.kind == null:
	case list.kind != sequence:
		r.failf(list, "is %s: write a list, such as - {name: gold, match: {labels: {tier: gold}}}", list.kind)
	default:
		r.readPolicies(list, base, s)
	}

	return s
}

// readDefaults reads what all policies inherit and returns it.
func (r *reader) readDefaults(n *node, s *Set) *node {
	d := draft{name: defaultName, own: n, merged: builtin(), layer: &layer{name: "defaults", isDefaults: true}}

	if n != nil && n.kind != null {
		n.assign(d.layer)

		if n.kind != mapping {
			r.failf(n, "is %s: write fields, such as {mode: enforce}", n.kind)
		}

		r.refuseUnknownInPolicy(n, "belongs to a policy, not to what all inherit: move it to the policy")
		d.merged = sortCatalogue(inherit(d.merged, n))
	}

	effective := r.evaluate(d)
	s.fallback = &class{name: defaultName, tree: d.merged, variants: []*Effective{&effective}}

	return d.merged
}

// refuseUnknownInPolicy notes fields that there are not, in the defaults or in a policy. misplaced says what is wrong with
// those that only a policy has; empty where they are allowed.
func (r *reader) refuseUnknownInPolicy(n *node, misplaced string) {
	known := append([]string{"recommender"}, names(policyFields)...)

	for _, name := range []string{"name", "match"} {
		switch value := n.get(name); {
		case misplaced == "":
			known = append(known, name)
		case value != nil:
			r.failf(value, "%s", misplaced)
			n = without(n, name)
		}
	}

	refuseUnknown(r, n, known)
}
