package policies

import (
	"slices"

	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/leastcost"
	"github.com/tidemark-project/tidemark/recommender/profile"
	"github.com/tidemark-project/tidemark/recommender/twowindow"
)

// profileWord is the field that names a profile.
const profileWord = "profile"

// setting is the parameters of a recommender and the profile that they begin with.
type setting[P any] struct {
	profile string
	params  P
}

// profiled are the profiles of one recommender, and the words for them; the first is the usual one.
type profiled[P any] struct {
	words  []string
	params map[string]func() P
}

var (
	twoWindowProfiles = profiled[twowindow.Params]{
		[]string{profile.Stable},
		map[string]func() twowindow.Params{profile.Stable: twowindow.Defaults},
	}
	leastCostProfiles = profiled[leastcost.Params]{
		[]string{profile.Balanced, profile.Lean},
		map[string]func() leastcost.Params{profile.Balanced: leastcost.Balanced, profile.Lean: leastcost.Lean},
	}
)

var (
	twoWindow = newProfiled(twowindow.Name, twoWindowFields, twoWindowProfiles, twowindow.New)
	leastCost = newProfiled(leastcost.Name, leastCostFields, leastCostProfiles, leastcost.New)
)

// newProfiled is an algorithm whose parameters begin with a profile.
func newProfiled[P any, R recommender.Recommender](
	name string, fields []field[P], profiles profiled[P], construct func(P) (R, error),
) rule[setting[P]] {
	all := append(make([]field[setting[P]], 0, len(fields)+1), profileField(profiles))

	for _, f := range fields {
		all = append(all, field[setting[P]]{
			name:  f.name,
			read:  func(r *reader, n *node, to *setting[P]) { f.read(r, n, &to.params) },
			write: func(from *setting[P]) *node { return f.write(&from.params) },
		})
	}

	return rule[setting[P]]{
		name: name, fields: all,
		defaults: func() setting[P] {
			usually := profiles.words[0]

			return setting[P]{usually, profiles.params[usually]()}
		},
		make: plain(func(s setting[P]) (R, error) { return construct(s.params) }),
	}
}

// profileField is the first field to be read: what else is given changes the profile.
func profileField[P any](profiles profiled[P]) field[setting[P]] {
	return field[setting[P]]{
		name: profileWord,
		read: func(r *reader, n *node, to *setting[P]) {
			params := profiles.params[n.text]

			switch {
			case n.kind == scalar && params != nil:
				to.profile, to.params = n.text, params()
			case n.kind == scalar && slices.Contains(profile.Names(), n.text):
				r.failf(n, "%s is a profile of another recommender: write recommender: {profile: %s} to have both", quote(n.text), n.text)
			default:
				r.failf(n, "there is no such profile: write %s", alternatives(profiles.words))
			}
		},
		write: func(from *setting[P]) *node { return &node{kind: scalar, text: from.profile} },
	}
}

// spellOutRecommender turns "recommender: {profile: lean}" into the long form, which names the recommender of the profile:
// "recommender: {least_cost: {profile: lean}}". A profile that there is not is left to be refused.
func spellOutRecommender(n *node) *node {
	word := n.get(profileWord)
	if word == nil || len(n.entries) != 1 || word.kind != scalar {
		return n
	}

	parameters := n.fields(entry{name: profileWord, line: word.line, column: word.column, value: word})

	switch {
	case twoWindowProfiles.params[word.text] != nil:
		return n.fields(entry{name: twoWindow.word(), line: n.line, column: n.column, value: parameters})
	case leastCostProfiles.params[word.text] != nil:
		return n.fields(entry{name: leastCost.word(), line: n.line, column: n.column, value: parameters})
	default:
		return n
	}
}
