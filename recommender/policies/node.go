package policies

import (
	"slices"
	"strconv"
	"strings"
)

// kind tells nodes apart.
type kind int

const (
	scalar kind = iota
	mapping
	sequence
	null
)

// nullText is null as a file spells it.
const nullText = "null"

// String names the kind as an error does.
func (k kind) String() string {
	switch k {
	case scalar:
		return "a single value"
	case mapping:
		return "a map of fields"
	case sequence:
		return "a list"
	case null:
		return nullText
	default:
		return "kind " + strconv.Itoa(int(k))
	}
}

// node is a value of a policy file that knows where it comes from. Nodes are not changed once a file has been read, so
// that policies can share what they inherit.
type node struct {
	kind kind
	// text is what a scalar says, without quotes; all types of YAML but null are read as text.
	text string
	// path is the field as the file spells it: "policies[0].min.cpu".
	path string
	// line and column are where the value begins, from 1; 0 for what is built in.
	line, column int
	// layer is who says so.
	layer *layer
	// entries are the fields of a mapping, in the order of the file.
	entries []entry
	// items are the values of a sequence.
	items []*node
}

// entry is a field of a mapping.
type entry struct {
	name         string
	line, column int
	value        *node
}

// layer is one of the places a value can come from: what is built in, the defaults of the file, a policy of it.
type layer struct {
	name       string
	isDefaults bool
}

// get returns a field of a mapping, and nil when there is none.
func (n *node) get(name string) *node {
	if n == nil || n.kind != mapping {
		return nil
	}

	for _, e := range n.entries {
		if e.name == name {
			return e.value
		}
	}

	return nil
}

// gives reports that a field has a value other than null.
func (n *node) gives(name string) bool {
	value := n.get(name)

	return value != nil && value.kind != null
}

// with returns a copy of a mapping with a field set.
func (n *node) with(name string, value *node) *node {
	changed := *n
	changed.entries = slices.Clone(n.entries)

	at := slices.IndexFunc(changed.entries, func(e entry) bool { return e.name == name })
	if at >= 0 {
		changed.entries[at].value = value
	} else {
		changed.entries = append(changed.entries, entry{name: name, line: value.line, column: value.column, value: value})
	}

	return &changed
}

// says returns a scalar in the place of a node.
func (n *node) says(text string) *node {
	return &node{kind: scalar, text: text, path: n.path, line: n.line, column: n.column, layer: n.layer}
}

// fields returns a mapping in the place of a node.
func (n *node) fields(entries ...entry) *node {
	return &node{kind: mapping, entries: entries, path: n.path, line: n.line, column: n.column, layer: n.layer}
}

// resets returns null in the place of a node, for something that is inherited: for each field of a map, so that a later
// layer which gives one of them does not bring the others back.
func (n *node) resets(inherited *node) *node {
	reset := &node{kind: null, path: n.path, line: n.line, column: n.column, layer: n.layer}
	if inherited == nil || inherited.kind != mapping {
		return reset
	}

	for _, e := range inherited.entries {
		reset.entries = append(reset.entries, entry{name: e.name, line: n.line, column: n.column, value: n.resets(e.value)})
	}

	if len(reset.entries) > 0 {
		reset.kind = mapping
	}

	return reset
}

// assign makes everything below a node part of a layer. It is called once, before anything is shared.
func (n *node) assign(from *layer) {
	n.layer = from

	for _, e := range n.entries {
		e.value.assign(from)
	}

	for _, item := range n.items {
		item.assign(from)
	}
}

// find returns the node of a field such as "disruption.scale_down_windows[1].from". When there is none, it returns the
// nearest one around it and the rest of the field.
func (n *node) find(field string) (*node, string) {
	for field != "" {
		part, rest, _ := strings.Cut(field, ".")
		name, index, indexed := strings.Cut(part, "[")

		next := n.get(name)

		if indexed && next != nil {
			i, err := strconv.Atoi(strings.TrimSuffix(index, "]"))
			if err != nil || i < 0 || i >= len(next.items) {
				return next, field
			}

			next = next.items[i]
		}

		if next == nil {
			return n, field
		}

		n, field = next, rest
	}

	return n, ""
}
