package backtest

import (
	"fmt"
	"strings"
	"time"

	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/percentile"
	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/profile"
)

// Policies says by which policy a service is sized.
type Policies func(service *Series) policy.Policy

// builtin are the contenders that need no file.
var builtin = []struct {
	name string
	make func(name string, policies Policies) (Contender, error)
}{
	{profile.Stable, profileOf},
	{profile.Balanced, profileOf},
	{profile.Lean, profileOf},
	{percentile.Name, func(name string, policies Policies) (Contender, error) {
		r, err := percentile.New(percentile.Defaults())

		return Sized(name, nil, r, policies), err
	}},
	{"window-3h", singleWindowOf(3 * time.Hour)},
	{"window-30h", singleWindowOf(30 * time.Hour)},
	{"static-2x", func(name string, policies Policies) (Contender, error) {
		return Static(name, 2, policies), nil
	}},
}

// Names are the contenders that need no file.
func Names() []string {
	names := make([]string, 0, len(builtin))
	for _, b := range builtin {
		names = append(names, b.name)
	}

	return names
}

// Builtin makes the contender with the name. Its error says which names there are.
func Builtin(name string, policies Policies) (Contender, error) {
	for _, b := range builtin {
		if b.name == name {
			return b.make(name, policies)
		}
	}

	return Contender{}, fmt.Errorf("no recommender is called %q: there are %s", name, strings.Join(Names(), ", "))
}

func profileOf(name string, policies Policies) (Contender, error) {
	r, err := profile.New(name)

	return Sized(name, nil, r, policies), err
}

// Sized is a contender that sizes every service by one recommender.
func Sized(name string, params map[string]any, r recommender.Recommender, policies Policies) Contender {
	return Recommended(name, params, func(service *Series) (Sizing, error) { return NewSizing(policies(service), r), nil })
}

func singleWindowOf(length time.Duration) func(string, Policies) (Contender, error) {
	return func(name string, policies Policies) (Contender, error) {
		return SingleWindow(name, length, windowMargin, policies), nil
	}
}

// windowMargin is the margin of the Vertical Pod Autoscaler.
const windowMargin = 1.15

// Usual are the contenders that are compared when nobody says which.
func Usual() []string { return profile.Names() }
