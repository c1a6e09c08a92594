package policies_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tidemark-project/tidemark/recommender/policies"
)

var (
	keys  = []string{"prod/a", "prod/ab", "prod/b", "test/a", "test/b-1"}
	globs = []string{"prod/a", "prod/*", "*/a", "*/*", "prod/a*", "*/?", "test/[ab]*", "p*/*"}
	tiers = []string{"", "gold", "silver"}
	wants = []string{"", "gold", "*", "[sg]*", "bronze"}
)

// rule is a policy of a drawn file.
type rule struct {
	services []string
	tier     string
}

var anyRule = rapid.Custom(func(t *rapid.T) rule {
	r := rule{
		services: rapid.SliceOfNDistinct(rapid.SampledFrom(globs), 0, 3, rapid.ID[string]).Draw(t, "services"),
		tier:     rapid.SampledFrom(wants).Draw(t, "tier"),
	}
	if len(r.services) == 0 && r.tier == "" {
		r.tier = "gold"
	}

	return r
})

func (r rule) yaml(i int) string {
	var parts []string
	if len(r.services) > 0 {
		parts = append(parts, fmt.Sprintf("services: [%q]", strings.Join(r.services, `", "`)))
	}

	if r.tier != "" {
		parts = append(parts, fmt.Sprintf("labels: {tier: %q}", r.tier))
	}

	return fmt.Sprintf("  - {name: p%d, match: {%s}}\n", i, strings.ReplaceAll(strings.Join(parts, ", "), `\"`, `"`))
}

// holds says by hand what each of the globs above means.
func (r rule) holds(key, tier string) bool {
	tenant, name, _ := strings.Cut(key, "/")
	byGlob := map[string]bool{
		"prod/a": key == "prod/a", "prod/*": tenant == "prod", "*/a": name == "a", "*/*": true,
		"prod/a*": strings.HasPrefix(key, "prod/a"), "*/?": len(name) == 1,
		"test/[ab]*": tenant == "test" && (name[0] == 'a' || name[0] == 'b'), "p*/*": tenant[0] == 'p',
	}
	byTier := map[string]bool{
		"": true, "gold": tier == "gold", "*": tier != "", "[sg]*": tier == "gold" || tier == "silver", "bronze": false,
	}

	some := len(r.services) == 0
	for _, glob := range r.services {
		some = some || byGlob[glob]
	}

	return some && byTier[r.tier]
}

// TestForIsTheFirstThatHolds compares files of drawn policies with what each means by hand. Where a policy is refused
// because it never applies, no service may have it.
func TestForIsTheFirstThatHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rules := rapid.SliceOfN(anyRule, 1, 5).Draw(t, "rules")

		var content strings.Builder
		for i, r := range rules {
			content.WriteString(r.yaml(i))
		}

		s, err := policies.Parse("f.yaml", []byte("policies:\n"+content.String()))
		first := func(key, tier string) string {
			for i, r := range rules {
				if r.holds(key, tier) {
					return fmt.Sprintf("p%d", i)
				}
			}

			return "default"
		}

		for _, key := range keys {
			for _, tier := range tiers {
				labels := map[string]string{}
				if tier != "" {
					labels["tier"] = tier
				}

				want := first(key, tier)

				if err == nil {
					got, again := s.For(key, labels), s.For(key, labels)
					require.Equal(t, want, got.Policy.Name)
					require.Same(t, got, again)

					continue
				}

				for line := range strings.SplitSeq(err.Error(), "\n") {
					require.Contains(t, line, "never applies")
					require.NotContains(t, line, ": policies["+strings.TrimPrefix(want, "p")+"].", "%s is the policy of %s", want, key)
				}
			}
		}
	})
}
