// Package profile names the recommenders that are ready to use: a rule with all its constants.
package profile

import (
	"fmt"
	"strings"

	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/leastcost"
	"github.com/tidemark-project/tidemark/recommender/twowindow"
)

// The profiles.
const (
	// Stable is the two-window rule with its published constants.
	Stable = "stable"
	// Balanced seldom leaves a service short, and changes it seldom.
	Balanced = "balanced"
	// Lean leaves less idle, for services that may be short of CPU now and then.
	Lean = "lean"
)

// Default is the profile of a policy that names no recommender.
const Default = Balanced

// Names returns every profile.
func Names() []string { return []string{Stable, Balanced, Lean} }

// New returns the recommender of a profile.
func New(name string) (recommender.Recommender, error) {
	switch name {
	case Stable:
		return twowindow.New(twowindow.Defaults())
	case Balanced:
		return leastcost.New(leastcost.Balanced())
	case Lean:
		return leastcost.New(leastcost.Lean())
	default:
		return nil, fmt.Errorf("%q is not a profile: use one of %s", name, strings.Join(Names(), ", "))
	}
}
