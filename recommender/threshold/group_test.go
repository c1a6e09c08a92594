package threshold_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/size"
	"github.com/tidemark-project/tidemark/recommender/threshold"
)

var (
	small = threshold.Template{Name: "small", Resources: of(4_000, 16, 0).Resources(), StorageBytes: 100 * gib, Count: 4}
	large = threshold.Template{Name: "large", Resources: of(8_000, 32, 0).Resources()}
)

func templates(p *threshold.Params) { p.Templates = []threshold.Template{small, large} }

func TestThePlanIsTheStepOfOneGroup(t *testing.T) {
	t.Parallel()

	got := recommender.Decide(rule(t, templates), input(of(4_000, 16, 3), 0.9, 0.5))
	require.Equal(t, []recommender.GroupChange{{
		Action: recommender.GroupUpdate, Before: 3,
		Group: recommender.Group{
			Name: threshold.GroupName("prod/a", small), Template: "small", Resources: small.Resources, StorageBytes: 100 * gib, Replicas: 4,
		},
	}}, got.Plan)

	got = recommender.Decide(rule(t, templates), input(of(8_000, 32, 30), 0.1, 0.5))
	require.Len(t, got.Plan, 1)
	require.Equal(t, "large", got.Plan[0].Group.Template)
	require.EqualValues(t, 29, got.Plan[0].Group.Replicas)

	require.Empty(t, recommender.Decide(rule(t, templates), input(of(4_000, 16, 3), 0.5, 0.5)).Plan)

	// A size that no template has stands for itself.
	got = recommender.Decide(rule(t, templates), input(of(5_000, 16, 30), 0.9, 0.5))
	require.EqualValues(t, 31, got.Recommended.Replicas)
	require.Equal(t, "present", got.Plan[0].Group.Template)
}

func TestTheTemplatesCountIsTheMost(t *testing.T) {
	t.Parallel()

	for current, want := range map[int32]int32{3: 4, 4: 4, 7: 7} {
		got := recommender.Decide(rule(t, templates), input(of(4_000, 16, current), 0.9, 0.5))
		require.Equal(t, want, got.Recommended.Replicas)
		require.Equal(t, current >= 4, contains(got, recommender.ReasonLimitedByMax))
	}

	two := rule(t, templates, func(p *threshold.Params) { p.Step = 2 })
	require.EqualValues(t, 4, recommender.Decide(two, input(of(4_000, 16, 3), 0.9, 0.5)).Recommended.Replicas)
	require.Equal(t, size.MaxReplicas, recommender.Decide(rule(t), input(of(1, 1, size.MaxReplicas), 0.9, 0.001)).Recommended.Replicas)
}

// A plan that is not what is recommended would mislead.
func TestNoPlanWhenThePolicyDecidesOtherwise(t *testing.T) {
	t.Parallel()

	in := input(of(4_000, 16, 3), 0.9, 0.5)
	in.Policy = policy.Policy{Name: "p", MaxReplicas: 3}
	require.Empty(t, recommender.Decide(rule(t, templates), in).Plan)
}

func TestGroupNames(t *testing.T) {
	t.Parallel()

	name := threshold.GroupName("prod/a", small)
	require.Equal(t, "auto-0f58ba231e5a0177", name, "names outlive the program")
	require.Len(t, name, len("auto-")+16)

	counted := small
	counted.Count = 99
	require.Equal(t, name, threshold.GroupName("prod/a", counted), "the same group, with another limit")

	seen := map[string]bool{name: true}

	for _, change := range []func(*threshold.Template){
		func(t *threshold.Template) { t.Name = "other" },
		func(t *threshold.Template) { t.Resources.CPUMillis++ },
		func(t *threshold.Template) { t.Resources.MemoryBytes++ },
		func(t *threshold.Template) { t.StorageBytes++ },
	} {
		changed := small
		change(&changed)
		seen[threshold.GroupName("prod/a", changed)] = true
	}

	seen[threshold.GroupName("prod/b", small)] = true
	require.Len(t, seen, 6)
	require.NotEqual(t, threshold.GroupName("a b", threshold.Template{Name: "c"}), threshold.GroupName("a", threshold.Template{Name: "b c"}))
}

func group(name string, count int32) recommender.Group {
	return recommender.Group{Name: name, Replicas: count}
}

func TestDiffDeletesThenUpdatesThenCreates(t *testing.T) {
	t.Parallel()

	existing := []recommender.Group{group("d", 4), group("a", 1), group("c", 3), group("b", 2), group("gone", 0)}
	plan := []recommender.Group{group("f", 6), group("c", 9), group("b", 2), group("e", 5), group("a", 0), group("z", 0)}

	require.Equal(t, []recommender.GroupChange{
		{Action: recommender.GroupDelete, Group: group("a", 0), Before: 1},
		{Action: recommender.GroupDelete, Group: group("d", 0), Before: 4},
		{Action: recommender.GroupDelete, Group: group("gone", 0), Before: 0},
		{Action: recommender.GroupUpdate, Group: group("c", 9), Before: 3},
		{Action: recommender.GroupCreate, Group: group("e", 5)},
		{Action: recommender.GroupCreate, Group: group("f", 6)},
	}, threshold.Diff(existing, plan))

	require.Equal(t, "d", existing[0].Name, "the arguments stay as they are")
}

func TestAnEmptyPlanDeletesNothing(t *testing.T) {
	t.Parallel()

	existing := []recommender.Group{group("a", 1), group("b", 2)}
	require.Empty(t, threshold.Diff(existing, nil))
	require.Empty(t, threshold.Diff(existing, []recommender.Group{}))
	require.Empty(t, threshold.Diff(existing, []recommender.Group{group("a", 0), group("b", -1)}))
	require.Empty(t, threshold.Diff(existing, existing))
	require.Len(t, threshold.Diff(nil, existing), 2)
}

func TestDiffOfGroupsWithOneName(t *testing.T) {
	t.Parallel()

	require.Equal(t, []recommender.GroupChange{{Action: recommender.GroupUpdate, Group: group("a", 5), Before: 3}},
		threshold.Diff([]recommender.Group{group("a", 1), group("a", 3)}, []recommender.Group{group("a", 5), group("a", 2)}))
}

// Applied to the existing groups, the changes give the plan, whatever the order of the groups.
func TestDiffLeadsToThePlan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(label string) []recommender.Group {
			names := rapid.SliceOfNDistinct(rapid.StringMatching("[a-f]"), 0, 6, rapid.ID[string]).Draw(t, label)
			groups := make([]recommender.Group, 0, len(names))

			for _, name := range names {
				groups = append(groups, group(name, rapid.Int32Range(1, 9).Draw(t, name)))
			}

			return groups
		}
		existing, plan := draw("existing"), draw("plan")
		changes := threshold.Diff(existing, plan)

		shuffled := slices.Clone(existing)
		slices.Reverse(shuffled)
		require.Equal(t, changes, threshold.Diff(shuffled, plan))

		if len(plan) == 0 {
			require.Empty(t, changes)

			return
		}

		got, want := map[string]int32{}, map[string]int32{}
		for _, g := range existing {
			got[g.Name] = g.Replicas
		}

		for _, c := range changes {
			require.Equal(t, got[c.Group.Name], c.Before)
			got[c.Group.Name] = c.Group.Replicas

			if c.Action == recommender.GroupDelete {
				delete(got, c.Group.Name)
			}
		}

		for _, g := range plan {
			want[g.Name] = g.Replicas
		}

		require.Equal(t, want, got)
	})
}
