package policies

import (
	"cmp"
	"slices"
)

// exclusive are fields of which only one can hold: giving one resets the other that is inherited.
var exclusive = [][2]string{{"catalogue", "step"}, {"step", "catalogue"}}

// inherit lays a layer of a policy over what it inherits. Fields that are given replace those that are inherited, maps
// field by field and everything else as a whole; null takes a field back to what it is when nobody says anything.
func inherit(base, over *node) *node {
	if over == nil || over.kind != mapping {
		return base
	}

	if mode := over.get("mode"); mode != nil {
		// One word speaks for all resources, so it replaces the exceptions as well.
		if mode.kind == scalar {
			base = base.with("mode", mode.resets(base.get("mode")))
		}

		over = over.with("mode", spellOutMode(mode))
	}

	for _, pair := range exclusive {
		if given := over.get(pair[0]); givesAny(given) && over.get(pair[1]) == nil && base.get(pair[1]) != nil {
			base = base.with(pair[1], given.resets(base.get(pair[1])))
		}
	}

	base = followRatio(base, over)
	merged := merge(without(base, "recommender"), without(over, "recommender"))

	if r := inheritRecommender(base.get("recommender"), spellOutRecommender(over.get("recommender"))); r != nil {
		merged = merged.with("recommender", r)
	}

	return merged
}

// followRatio resets a memory step that is inherited by a layer with a ratio: with a ratio, the CPU step implies it.
func followRatio(base, over *node) *node {
	ratio := over.get("memory_per_core")
	if ratio == nil || ratio.kind == null || over.get("step").get("memory") != nil || base.get("step").get("memory") == nil {
		return base
	}

	return base.with("step", base.get("step").with("memory", ratio.resets(nil)))
}

// inheritRecommender keeps the parameters of the same recommender; those of another one mean nothing to it. Null takes the
// recommender back to the usual one.
func inheritRecommender(base, over *node) *node {
	switch {
	case over == nil || base == nil:
		return cmp.Or(over, base)
	case over.kind == null:
		return over.fields(entry{name: usual.word(), value: over.fields()})
	}

	if over.kind == mapping && base.kind == mapping && len(over.entries) == 1 && base.get(over.entries[0].name) != nil {
		name := over.entries[0].name

		return over.with(name, inheritEndpoint(base.get(name), over.get(name)))
	}

	return over
}

// inheritEndpoint merges the parameters of a recommender; an outside one is asked in one way only.
func inheritEndpoint(base, over *node) *node {
	for _, pair := range [][2]string{{"url", "grpc"}, {"grpc", "url"}} {
		if over.gives(pair[0]) && over.get(pair[1]) == nil && base.get(pair[1]) != nil {
			base = base.with(pair[1], over.get(pair[0]).resets(nil))
		}
	}

	return merge(base, over)
}

// merge lays one value over another.
func merge(base, over *node) *node {
	switch {
	case over == nil:
		return base
	case over.kind == null:
		return over.resets(base)
	case base == nil || base.kind != mapping || over.kind != mapping:
		return over
	}

	merged := *over
	merged.entries = slices.Clone(base.entries)

	for _, e := range over.entries {
		at := slices.IndexFunc(merged.entries, func(b entry) bool { return b.name == e.name })
		if at < 0 {
			merged.entries = append(merged.entries, e)

			continue
		}

		e.value = merge(merged.entries[at].value, e.value)
		merged.entries[at] = e
	}

	return &merged
}

// givesAny reports that a value, or any below it, is not null.
func givesAny(n *node) bool {
	switch {
	case n == nil || n.kind == null:
		return false
	case n.kind == sequence:
		return len(n.items) > 0
	case n.kind == mapping:
		return slices.ContainsFunc(n.entries, func(e entry) bool { return givesAny(e.value) })
	default:
		return true
	}
}

// without returns a mapping without a field.
func without(n *node, name string) *node {
	changed := *n
	changed.entries = slices.DeleteFunc(slices.Clone(n.entries), func(e entry) bool { return e.name == name })

	return &changed
}
