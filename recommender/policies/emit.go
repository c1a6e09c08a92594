package policies

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// plainText is what YAML reads as text without quotes, wherever it stands.
var plainText = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._/%*-]*$`)

// quoted writes a scalar so that it is read back as it is.
func quoted(text string) string {
	isNull := slices.Contains([]string{nullText, "Null", "NULL"}, text)
	if plainText.MatchString(text) && !isNull {
		return text
	}

	return strconv.Quote(text)
}

// flow writes a value on one line.
func flow(n *node) string {
	var parts []string

	switch {
	case n == nil || n.kind == null:
		return nullText
	case n.kind == scalar:
		return quoted(n.text)
	case n.kind == sequence:
		for _, item := range n.items {
			parts = append(parts, flow(item))
		}

		return "[" + strings.Join(parts, ", ") + "]"
	default:
		for _, e := range n.entries {
			parts = append(parts, quoted(e.name)+": "+flow(e.value))
		}

		return "{" + strings.Join(parts, ", ") + "}"
	}
}

// differences lists what one mapping says other than another one, one field to a line.
func differences(prefix string, of, from *node) string {
	var text strings.Builder

	for _, e := range of.entries {
		other := from.get(e.name)

		switch {
		case e.value.kind == mapping && other != nil && other.kind == mapping:
			text.WriteString(differences(prefix+e.name+".", e.value, other))
		case flow(e.value) != flow(other):
			text.WriteString(prefix + e.name + "=" + flow(e.value) + "\n")
		}
	}

	return text.String()
}

// emitter writes nodes as YAML, each value on a line of its own with where it comes from behind it, unless it is bare.
type emitter struct {
	text strings.Builder
	bare bool
}

// field writes one field of a mapping. A list takes a line for each item.
func (e *emitter) field(indent int, name string, n *node) {
	e.text.WriteString(strings.Repeat("  ", indent) + quoted(name) + ":")

	switch {
	case n.kind == mapping && len(n.entries) > 0:
		e.text.WriteString("\n")

		for _, f := range n.entries {
			e.field(indent+1, f.name, f.value)
		}
	case n.kind == sequence && len(n.items) > 0 && n.items[0].kind == mapping:
		e.text.WriteString(e.origin(n) + "\n")

		for _, item := range n.items {
			e.text.WriteString(strings.Repeat("  ", indent+1) + "- " + flow(item) + "\n")
		}
	default:
		e.text.WriteString(" " + flow(n) + e.origin(n) + "\n")
	}
}

// origin is the comment that says where a value comes from.
func (e *emitter) origin(n *node) string {
	switch {
	case n.layer == nil || e.bare:
		return ""
	case n.line == 0:
		return " # " + n.layer.name
	default:
		return " # " + n.layer.name + ", line " + strconv.Itoa(n.line)
	}
}
