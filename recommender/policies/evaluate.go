package policies

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/size"
)

const (
	// hashLength is the number of hexadecimal digits of a hash: 64 bits.
	hashLength = 16
	// usageBucket is what the windows of usage are made of, and maxUsageWindow how far back usage is kept in every case.
	usageBucket, maxUsageWindow = 10 * time.Minute, 14 * day
)

// draft is a policy that is to be worked out.
type draft struct {
	name string
	// own is what the file says of the policy itself; nil when it says nothing.
	own *node
	// merged is that together with what it inherits.
	merged *node
	layer  *layer
	// unreadable is how many problems had been found when all values had been read.
	unreadable int
}

// evaluate works a policy out. The result is of no use when something was wrong.
func (r *reader) evaluate(d draft) Effective {
	p := policy.Policy{Name: d.name}
	readKnown(r, d.merged, &p, policyFields)

	if catalogue := d.merged.get("catalogue"); catalogue != nil && catalogue.kind == sequence && len(catalogue.items) == 0 {
		r.failf(catalogue, "is empty: list the sizes that there are, or write null if any size will do")
	}

	made := r.recommender(&d)

	for _, problem := range problemsOf(p.Validate()) {
		r.blame(&d, problem)
	}

	if made.recommender == nil {
		return Effective{}
	}

	// What a floor that is switched off says has no effect.
	if p.Floor.Window == 0 {
		p.Floor = policy.Floor{}
	}

	p.Hash = hashOf(&p, made)

	request := made.recommender.Needs()
	if p.Floor.Window > 0 {
		request = request.WithWindow(p.Floor.Window)
	}

	return Effective{Policy: p, Recommender: made.recommender, Request: request, External: made.external}
}

// named is a recommender by the name that the file gives it.
type named struct {
	built

	word string
}

// recommender makes the recommender of a policy; it is the last to read values. Without one there was a problem.
func (r *reader) recommender(d *draft) named {
	chosen, parameters := algorithmOf(r, d.merged.get("recommender"))
	if chosen == nil {
		d.unreadable = len(r.found)

		return named{}
	}

	made, problems := chosen.build(r, parameters)
	d.unreadable = len(r.found)
	field := "recommender." + chosen.word()

	for _, problem := range problems {
		problem.Field = strings.TrimSuffix(field+"."+problem.Field, ".")
		r.blame(d, problem)
	}

	if len(problems) > 0 {
		return named{}
	}

	for _, window := range made.recommender.Needs().Windows {
		if window%usageBucket != 0 || window > maxUsageWindow {
			r.blame(d, &policy.FieldError{
				Field:       field,
				Description: "it looks back " + formatDuration(window) + ": write windows that are multiples of 10m, up to 14d",
			})
		}
	}

	return named{made, chosen.word()}
}

// blame notes what is wrong with the values of a policy together. What it inherits is not to blame: the policy is, where
// the same was not found in the defaults by themselves. Values that could not be read have been noted already.
func (r *reader) blame(d *draft, problem *policy.FieldError) {
	where, rest := d.merged.find(problem.Field)
	if r.failedIn(where.path, d.unreadable) {
		return
	}

	description := problem.Description

	if rest != "" {
		description = rest + ": " + description
	}

	switch {
	case where.layer == d.layer && where.line > 0:
		r.failf(where, "%s", description)
	case !r.inDefaults[*problem]:
		r.failf(d.own, "%s, inherited from %s: %s", problem.Field, where.layer.name, problem.Description)
	}

	if d.layer.isDefaults {
		r.inDefaults[*problem] = true
	}
}

// hashOf covers the policy and the recommender: both change answers. The usual recommender with its usual parameters adds
// nothing, as a field that is off adds nothing to the hash of a policy.
func hashOf(p *policy.Policy, made named) string {
	text := made.different
	if made.word != usual.word() {
		text = made.word + "\n" + text
	}

	if text == "" {
		return p.ContentHash()
	}

	return hashText("policy=" + p.ContentHash() + "\nrecommender=" + text)
}

func hashText(text string) string {
	sum := sha256.Sum256([]byte(text))

	return hex.EncodeToString(sum[:])[:hashLength]
}

// sortCatalogue puts the sizes of a catalogue in order; their order in a file means nothing.
func sortCatalogue(merged *node) *node {
	catalogue := merged.get("catalogue")
	if catalogue == nil || catalogue.kind != sequence {
		return merged
	}

	sorted := *catalogue
	sorted.items = slices.Clone(catalogue.items)

	amounts := make(map[*node]size.Resources, len(sorted.items))

	for _, item := range sorted.items {
		var p policy.Policy

		readKnown(newReader(""), &node{kind: mapping, entries: []entry{{name: "min", value: item}}}, &p, policyFields)
		amounts[item] = p.Min
	}

	slices.SortStableFunc(sorted.items, func(a, b *node) int {
		return cmp.Or(cmp.Compare(amounts[a].CPUMillis, amounts[b].CPUMillis), cmp.Compare(amounts[a].MemoryBytes, amounts[b].MemoryBytes))
	})

	return merged.with("catalogue", &sorted)
}
