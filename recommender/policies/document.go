package policies

import (
	"bytes"
	"errors"
	"io"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// MaxSize is how large a policy file may be, in bytes.
const MaxSize = 1 << 20

// parseDocument reads the YAML of a file. It returns nil when there is nothing to go on with.
func (r *reader) parseDocument(content []byte) *node {
	if len(content) > MaxSize {
		r.failAtf(1, 1, "", "the file has %d bytes: at most %d (1 MiB) are read; split the fleet or shorten the lists",
			len(content), MaxSize)

		return nil
	}

	decoder := yaml.NewDecoder(bytes.NewReader(content))

	var document, another yaml.Node

	switch err := decoder.Decode(&document); {
	case errors.Is(err, io.EOF), err == nil && isEmpty(&document):
		r.failAtf(1, 1, "", "the file is empty: write defaults, policies or both")

		return nil
	case err != nil:
		r.failSyntax(content, err)

		return nil
	}

	switch err := decoder.Decode(&another); {
	case err == nil:
		r.failAtf(another.Line, another.Column, "", "a second document begins: write all policies in one, without another ---")
	case !errors.Is(err, io.EOF):
		r.failSyntax(content, err)

		return nil
	}

	return r.convert(document.Content[0], "")
}

// isEmpty reports that a document holds nothing but comments.
func isEmpty(document *yaml.Node) bool {
	return len(document.Content) == 0 || document.Content[0].Kind == yaml.ScalarNode && document.Content[0].Value == ""
}

// convert takes over a node of the YAML parser and everything below it.
func (r *reader) convert(from *yaml.Node, path string) *node {
	n := &node{path: path, line: from.Line, column: from.Column}
	r.refuse(from, n)

	switch from.Kind {
	case yaml.MappingNode:
		n.kind = mapping
		r.convertFields(from, n)
	case yaml.SequenceNode:
		n.kind = sequence

		for i, item := range from.Content {
			n.items = append(n.items, r.convert(item, path+"["+strconv.Itoa(i)+"]"))
		}
	case yaml.ScalarNode:
		n.text = from.Value

		if from.ShortTag() == "!!null" {
			n.kind = null
		}

		if n.kind == null && from.Value == "" {
			r.failf(n, "has no value: give it one, or write null to reset what it inherits")
		}
	case yaml.AliasNode, yaml.DocumentNode:
		// An alias has been refused, and a document holds no other.
		n.kind = null
	default:
		n.kind = null
	}

	return n
}

// refuse notes what YAML knows and policies do not: one value in two places is what defaults are for, and a few aliases
// of aliases make a file of a hundred bytes as large as memory.
func (r *reader) refuse(from *yaml.Node, n *node) {
	switch {
	case from.Kind == yaml.AliasNode:
		r.failf(n, "is an alias (*%s): write the value out, or put it into defaults; in quotes if a glob was meant", from.Value)
	case from.Anchor != "":
		r.failf(n, "has an anchor (&%s): remove it; what policies share goes into defaults", from.Anchor)
	case from.Style&yaml.TaggedStyle != 0:
		r.failf(n, "has a tag (%s): remove it", from.Tag)
	}
}

// convertFields takes over the fields of a mapping.
func (r *reader) convertFields(from *yaml.Node, n *node) {
	lines := make(map[string]int, len(from.Content)/2)

	for i := 0; i+1 < len(from.Content); i += 2 {
		key, value := from.Content[i], from.Content[i+1]

		if key.Kind != yaml.ScalarNode {
			r.failAtf(key.Line, key.Column, n.path, "has a field whose name is not a word: put it into quotes if it is a glob")

			continue
		}

		name := key.Value
		path := name

		if n.path != "" {
			path = n.path + "." + name
		}

		r.refuse(key, &node{path: path, line: key.Line, column: key.Column})

		if line, twice := lines[name]; twice {
			r.failAtf(key.Line, key.Column, path, "is given twice, first in line %d: keep one of the two", line)

			continue
		}

		lines[name] = key.Line
		n.entries = append(n.entries, entry{name: name, line: key.Line, column: key.Column, value: r.convert(value, path)})
	}
}
