package policies

import (
	"errors"

	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/external"
	"github.com/tidemark-project/tidemark/recommender/policy"
)

// rule is an algorithm by its parameters.
type rule[P any] struct {
	name     string
	fields   []field[P]
	defaults func() P
	make     func(P) (recommender.Recommender, *external.Params, error)
}

func (a rule[P]) word() string { return a.name }

func (a rule[P]) build(r *reader, n *node) (built, []*policy.FieldError) {
	params := a.defaults()
	readFields(r, n, &params, a.fields)

	// Policies with the same recommender share it: some hold large tables.
	written := writeFields(&params, a.fields)
	key := a.name + " " + flow(written)

	if made, is := r.made[key]; is {
		return made, nil
	}

	recommends, outside, err := a.make(params)
	if err != nil {
		return built{}, problemsOf(err)
	}

	usually := a.defaults()
	made := built{recommends, outside, differences("", written, writeFields(&usually, a.fields))}
	r.made[key] = made

	return made, nil
}

func (a rule[P]) complete(n *node) *node {
	params := a.defaults()
	readFields(newReader(""), n, &params, a.fields)

	complete := writeFields(&params, a.fields)
	complete.assign(builtinLayer)

	return fill(n, complete)
}

// fill adds to a mapping what it does not give of a complete one.
func fill(n, complete *node) *node {
	filled := *n
	filled.entries = nil

	for _, e := range complete.entries {
		switch given := n.get(e.name); {
		case given == nil || given.kind == null:
			filled.entries = append(filled.entries, e)
		case given.kind == mapping && e.value.kind == mapping:
			filled.entries = append(filled.entries, entry{name: e.name, value: fill(given, e.value)})
		default:
			filled.entries = append(filled.entries, entry{name: e.name, value: given})
		}
	}

	return &filled
}

// plain adapts the constructor of a recommender that asks nobody.
func plain[P any, R recommender.Recommender](construct func(P) (R, error)) func(P) (recommender.Recommender, *external.Params, error) {
	return func(params P) (recommender.Recommender, *external.Params, error) {
		made, err := construct(params)

		return made, nil, err
	}
}

func makeExternal(params external.Params) (recommender.Recommender, *external.Params, error) {
	made, err := external.New(params)

	return made, &params, err
}

// problemsOf takes a joined error apart. An error that names no field is the whole value's.
func problemsOf(err error) []*policy.FieldError {
	var (
		problem *policy.FieldError
		joined  interface{ Unwrap() []error }
	)

	switch {
	case err == nil:
		return nil
	case errors.As(err, &joined):
		var all []*policy.FieldError
		for _, part := range joined.Unwrap() {
			all = append(all, problemsOf(part)...)
		}

		return all
	case errors.As(err, &problem):
		return []*policy.FieldError{problem}
	default:
		return []*policy.FieldError{{Description: err.Error()}}
	}
}
