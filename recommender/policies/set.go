// Package policies reads policy files and finds the policy of a service.
//
// A file has defaults and a list of policies, each of which inherits the defaults field by field and says which services
// it is for. The first policy that matches a service is its policy; where none does, the defaults are.
//
// Services are matched by globs of their keys, "tenant/name", as path.Match knows them: * stands for any characters but
// the slash, ? for one, [a-z] for one of a range. So prod/* is every service of the tenant prod, */* every service there
// is, and * alone none. Labels are matched by globs of their values.
package policies

import (
	"slices"
	"strings"
	"sync"

	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/external"
	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/usage"
)

// Effective is all that holds for a service. It is shared; do not change it.
type Effective struct {
	// Policy is how the service is sized. Its Hash covers the recommender and its parameters too.
	Policy policy.Policy
	// Recommender turns usage into a need.
	Recommender recommender.Recommender
	// Request is what has to be read of the service: what the recommender needs, and the window of the policy's floor.
	Request usage.Request
	// External is whom to ask for advice; nil unless the recommender is an outside one.
	External *external.Params
	// Match is what matched: "prod/orders-* and tier=gold"; empty for the defaults.
	Match string
}

// Set is the content of a policy file. It is immutable and safe for concurrent use.
type Set struct {
	classes  []*class
	fallback *class
	index    index
	hash     string
}

// add puts a policy behind those that are there.
func (s *Set) add(c *class) {
	s.index.add(len(s.classes), &c.match)
	s.classes = append(s.classes, c)
}

// class is a policy and the services it is for.
type class struct {
	name  string
	match matcher
	// variants holds the policy once for each glob of keys that may have matched, in the order of the globs.
	variants []*Effective
	// own is what the file says of the policy, and tree that with what it inherits.
	own, tree *node
}

func newClass(m matcher, effective Effective, d draft) *class {
	c := &class{name: d.name, match: m, own: d.own, tree: d.merged}

	for i := range max(len(m.services), 1) {
		variant := effective
		variant.Match = m.describe(i)
		c.variants = append(c.variants, &variant)
	}

	return c
}

// Default returns the set that holds without a file: one policy for all services, policy.Default with the two-window rule
// in its balanced profile.
func Default() *Set { return usualSet() }

var usualSet = sync.OnceValue(func() *Set {
	s, err := Parse("built-in policy", []byte("{}"))
	if err != nil {
		panic(err) // a test calls it
	}

	return s
})

// For returns the policy of a service: the first that matches its key and its labels, and else the defaults as the policy
// "default". It returns the same pointer for as long as the same policy matches in the same way.
func (s *Set) For(service string, labels map[string]string) *Effective {
	_, effective := s.find(service, labels)

	return effective
}

func (s *Set) find(service string, labels map[string]string) (*class, *Effective) {
	for place := range s.index.candidates(service) {
		c := s.classes[place]
		if i := c.match.find(service, labels); i >= 0 {
			return c, c.variants[i]
		}
	}

	return s.fallback, s.fallback.variants[0]
}

// Policies returns every policy in the order in which they are tried, the defaults last. A policy with several globs of
// keys comes once, with the first of them as its Match.
func (s *Set) Policies() []Effective {
	all := make([]Effective, 0, len(s.classes)+1)
	for _, c := range s.classes {
		all = append(all, *c.variants[0])
	}

	return append(all, *s.fallback.variants[0])
}

// Hash identifies everything in the set that can change an answer: the policies, their order, and what they match.
func (s *Set) Hash() string { return s.hash }

func (s *Set) computeHash() string {
	var text strings.Builder

	for _, c := range slices.Concat(s.classes, []*class{s.fallback}) {
		text.WriteString(c.name + " " + c.variants[0].Policy.Hash + "\n")

		for _, v := range c.variants {
			text.WriteString("  " + v.Match + "\n")
		}
	}

	return hashText(text.String())
}
