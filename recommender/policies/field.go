package policies

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/tidemark-project/tidemark/recommender/size"
)

// field is how one field of a file is read into a T and written from it.
type field[T any] struct {
	name string
	// read takes a value that is not null.
	read func(r *reader, n *node, to *T)
	// write returns what read would make the same value of; nil leaves the field out.
	write func(from *T) *node
}

// readFields reads a mapping; fields that are absent or null leave what they are read into as it is. It goes by the order
// of the table, so that a field may build on another one.
func readFields[T any](r *reader, n *node, to *T, fields []field[T]) {
	if n.kind != mapping {
		r.failf(n, "is %s: write fields, such as {%s: ...}", n.kind, fields[0].name)

		return
	}

	readKnown(r, n, to, fields)
	refuseUnknown(r, n, names(fields))
}

func readKnown[T any](r *reader, n *node, to *T, fields []field[T]) {
	for _, f := range fields {
		if n.gives(f.name) {
			f.read(r, n.get(f.name), to)
		}
	}
}

func refuseUnknown(r *reader, n *node, known []string) {
	for _, e := range n.entries {
		if !slices.Contains(known, e.name) {
			r.failAtf(e.line, e.column, e.value.path, "there is no such field: %s", didYouMean(e.name, known))
		}
	}
}

func names[T any](fields []field[T]) []string {
	all := make([]string, 0, len(fields))
	for _, f := range fields {
		all = append(all, f.name)
	}

	return all
}

// writeFields is the mapping that readFields reads.
func writeFields[T any](from *T, fields []field[T]) *node {
	written := &node{kind: mapping}

	for _, f := range fields {
		if value := f.write(from); value != nil {
			written.entries = append(written.entries, entry{name: f.name, value: value})
		}
	}

	return written
}

// simple is a field of one word. parse gives an error that says what would be right.
func simple[T, V any](name string, at func(*T) *V, parse func(string) (V, error), format func(V) string) field[T] {
	return field[T]{
		name: name,
		read: func(r *reader, n *node, to *T) {
			if n.kind != scalar {
				r.failf(n, "is %s: write one value", n.kind)

				return
			}

			value, err := parse(n.text)
			if err != nil {
				r.failf(n, "%v", err)

				return
			}

			*at(to) = value
		},
		write: func(from *T) *node { return &node{kind: scalar, text: format(*at(from))} },
	}
}

// section is a field that holds fields.
func section[T, U any](name string, at func(*T) *U, fields []field[U]) field[T] {
	return field[T]{
		name:  name,
		read:  func(r *reader, n *node, to *T) { readFields(r, n, at(to), fields) },
		write: func(from *T) *node { return writeFields(at(from), fields) },
	}
}

// list is a field that holds a list of fields each.
func list[T, U any](name string, at func(*T) *[]U, fields []field[U]) field[T] {
	return field[T]{
		name: name,
		read: func(r *reader, n *node, to *T) {
			if n.kind != sequence {
				r.failf(n, "is %s: write a list, such as [{%s: ...}]", n.kind, fields[0].name)

				return
			}

			var items []U

			for _, item := range n.items {
				var value U

				readFields(r, item, &value, fields)
				items = append(items, value)
			}

			*at(to) = items
		},
		write: func(from *T) *node {
			written := &node{kind: sequence}
			for i := range *at(from) {
				written.items = append(written.items, writeFields(&(*at(from))[i], fields))
			}

			return written
		},
	}
}

// self is the place of a section whose fields belong to the same value as the section itself.
func self[T any](value *T) *T { return value }

func cpu[T any](name string, at func(*T) *int64) field[T] {
	return simple(name, at, size.ParseCPU, size.FormatCPU)
}

func memory[T any](name string, at func(*T) *int64) field[T] {
	return simple(name, at, size.ParseMemory, size.FormatMemory)
}

func duration[T any](name string, at func(*T) *time.Duration) field[T] {
	return simple(name, at, parseDuration, formatDuration)
}

// share is a part of something: "80%" or 0.8.
func share[T any](name string, at func(*T) *float64) field[T] {
	return simple(name, at, parseShare, formatShare)
}

// factor is a number: 1.1.
func factor[T any](name string, at func(*T) *float64) field[T] {
	return simple(name, at, parseFactor, formatFactor)
}

func count[T any, N int | int32](name string, at func(*T) *N) field[T] {
	return simple(name, at, parseCount[N], func(n N) string { return strconv.Itoa(int(n)) })
}

// word is any text.
func word[T any, S ~string](name string, at func(*T) *S) field[T] {
	return simple(name, at, func(text string) (S, error) { return S(text), nil }, func(s S) string { return string(s) })
}

// choice is one of a few words.
func choice[T any, S ~string](name string, at func(*T) *S, of []S) field[T] {
	words := make([]string, 0, len(of))
	for _, s := range of {
		words = append(words, string(s))
	}

	parse := func(text string) (S, error) {
		if !slices.Contains(words, text) {
			return "", fmt.Errorf("there is no %s: %s", quote(text), didYouMean(text, words))
		}

		return S(text), nil
	}

	return simple(name, at, parse, func(s S) string { return string(s) })
}

func toggle[T any](name string, at func(*T) *bool) field[T] {
	return simple(name, at, parseBool, strconv.FormatBool)
}
