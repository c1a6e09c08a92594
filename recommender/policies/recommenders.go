package policies

import (
	"slices"

	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/external"
	"github.com/tidemark-project/tidemark/recommender/percentile"
	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/profile"
	"github.com/tidemark-project/tidemark/recommender/replicas"
	"github.com/tidemark-project/tidemark/recommender/threshold"
)

// algorithm is a recommender that a policy can name.
type algorithm interface {
	// word is its name in a policy file.
	word() string
	// build makes it from its parameters. It notes values that cannot be read, and takes the usual ones instead. It returns
	// what else is wrong, by the names of the parameters; then it has made nothing.
	build(r *reader, n *node) (built, []*policy.FieldError)
	// complete adds the parameters that are not given, with the values that hold.
	complete(n *node) *node
}

// built is a recommender that is ready to be asked.
type built struct {
	recommender recommender.Recommender
	external    *external.Params
	// different are the parameters that are not as usual, one to a line. They are part of the policy's hash.
	different string
}

// algorithms are all that a policy can name.
var algorithms = []algorithm{
	leastCost,
	twoWindow,
	rule[threshold.Params]{threshold.Name, thresholdFields, threshold.Defaults, plain(threshold.New)},
	rule[percentile.Params]{percentile.Name, percentileFields, percentile.Defaults, plain(percentile.New)},
	rule[replicas.Params]{replicas.Name, replicasFields, replicas.Defaults, plain(replicas.New)},
	rule[external.Params]{external.Name, externalFields, external.Defaults, makeExternal},
}

// usual is the algorithm of a policy that names none; it adds nothing to the hash.
var usual = leastCost

func algorithmWords() []string {
	words := make([]string, 0, len(algorithms))
	for _, a := range algorithms {
		words = append(words, a.word())
	}

	return words
}

// algorithmOf returns what a recommender field names, and its parameters.
func algorithmOf(r *reader, n *node) (algorithm, *node) {
	if n.kind != mapping || len(n.entries) == 0 {
		r.failf(n, "names no recommender: write one of %s, such as {%s: {}}, or a profile, such as {profile: %s}",
			alternatives(algorithmWords()), usual.word(), profile.Default)

		return nil, nil
	}

	for _, e := range n.entries[1:] {
		r.failAtf(e.line, e.column, e.value.path, "a policy has one recommender, and this one has %s already: keep one of them",
			n.entries[0].name)
	}

	first := n.entries[0]

	if first.name == profileWord {
		remedy := "there is no such profile: write " + alternatives(profile.Names())
		if slices.Contains(profile.Names(), first.value.text) {
			remedy = "stands alone: move it to the parameters of the recommender"
		}

		r.failf(first.value, "%s", remedy)

		return nil, nil
	}

	at := slices.IndexFunc(algorithms, func(a algorithm) bool { return a.word() == first.name })
	if at < 0 {
		r.failAtf(first.line, first.column, first.value.path, "there is no such recommender: %s",
			didYouMean(first.name, algorithmWords()))

		return nil, nil
	}

	// Null takes all parameters back.
	if first.value.kind == null {
		return algorithms[at], first.value.fields()
	}

	return algorithms[at], first.value
}
