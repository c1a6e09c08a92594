package native

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// maxDepth bounds the nesting of a type, so that a hostile one cannot exhaust the stack.
const maxDepth = 64

// ErrType says that a type is malformed or is one that this package does not know.
var ErrType = errors.New("unsupported column type")

// ParseType parses a type as ClickHouse writes it, such as "Array(LowCardinality(Nullable(String)))".
func ParseType(s string) (*Type, error) {
	t, err := parseType(strings.TrimSpace(s), 0)
	if err != nil {
		return nil, fmt.Errorf("type %.200q: %w", s, err)
	}
	return t, nil
}

func parseType(s string, depth int) (*Type, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("%w: nested too deep", ErrType)
	}
	name, rest, ok := strings.Cut(s, "(")
	if !ok {
		if t := simpleType(s); t != nil {
			return t, nil
		}
		return nil, ErrType
	}
	inner, ok := strings.CutSuffix(rest, ")")
	if !ok {
		return nil, fmt.Errorf("%w: no closing bracket", ErrType)
	}
	args, err := splitArguments(inner)
	if err != nil {
		return nil, err
	}
	return parametricType(name, args, depth)
}

// parametricType builds a type that has arguments.
func parametricType(name string, args []string, depth int) (*Type, error) {
	switch name {
	case "Tuple":
		elems, err := parseElements(args, depth)
		return tupleOf(elems...), err
	case "Nested":
		elems, err := parseElements(args, depth)
		return arrayOf(tupleOf(elems...)), err
	case "Variant":
		elems, err := parseElements(args, depth)
		return &Type{kind: kindVariant, elems: elems}, err
	case "Map":
		elems, err := parseElements(args, depth)
		if err == nil && len(elems) != 2 {
			err = fmt.Errorf("%w: a Map has a key and a value", ErrType)
		}
		return arrayOf(tupleOf(elems...)), err
	case "SimpleAggregateFunction":
		if len(args) < 2 {
			return nil, fmt.Errorf("%w: SimpleAggregateFunction needs a type", ErrType)
		}
		return parseType(args[1], depth+1)
	}
	if len(args) == 0 {
		return nil, fmt.Errorf("%w: no arguments", ErrType)
	}
	if k, ok := wrapper(name); ok {
		elem, err := parseType(args[0], depth+1)
		return &Type{kind: k, elems: []*Type{elem}}, err
	}
	return sizedType(name, args[0])
}

// wrapper returns the kind of a type that has one other type inside.
func wrapper(name string) (kind, bool) {
	switch name {
	case "Nullable":
		return kindNullable, true
	case "Array":
		return kindArray, true
	case "LowCardinality":
		return kindLowCardinality, true
	}
	return 0, false
}

// sizedType builds a type whose arguments are numbers or names, such as Decimal(9, 2) or Enum8('a' = 1).
func sizedType(name, arg string) (*Type, error) {
	switch name {
	case "FixedString", "Decimal":
		n, err := strconv.Atoi(arg)
		if err != nil || n <= 0 || n > 1<<24 {
			return nil, fmt.Errorf("%w: bad size", ErrType)
		}
		if name == "Decimal" {
			n = decimalSize(n)
		}
		return fixed(n), nil
	}
	if size := fixedSize(name); size > 0 {
		return fixed(size), nil
	}
	return nil, ErrType
}

// parseElements parses the elements of a Tuple, each a type with or without a name before it.
func parseElements(args []string, depth int) ([]*Type, error) {
	elems := make([]*Type, len(args))
	for i, arg := range args {
		var err error
		if elems[i], err = parseType(withoutName(arg), depth+1); err != nil {
			return nil, err
		}
	}
	return elems, nil
}
