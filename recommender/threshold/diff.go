package threshold

import (
	"cmp"
	"slices"

	"github.com/tidemark-project/tidemark/recommender"
)

// Diff returns how the existing groups have to change to become those of the plan: first the groups that the plan does
// not have are deleted, then those are updated whose number of replicas differs, then those are created that do not exist;
// each in the order of the names. Groups are told apart by name; of several with one name the largest counts.
//
// A plan in which no group has a replica changes nothing. It is what an error looks like, and to delete all of a service
// is nobody's recommendation.
func Diff(existing, plan []recommender.Group) []recommender.GroupChange {
	before, after := named(existing), named(plan)
	after = slices.DeleteFunc(after, func(g recommender.Group) bool { return g.Replicas <= 0 })

	if len(after) == 0 {
		return nil
	}

	changes := make([]recommender.GroupChange, 0, len(before)+len(after))

	for _, group := range before {
		if _, planned := find(after, group.Name); !planned {
			left := group
			left.Replicas = 0
			changes = append(changes, recommender.GroupChange{Action: recommender.GroupDelete, Group: left, Before: group.Replicas})
		}
	}

	for _, group := range after {
		if now, exists := find(before, group.Name); exists && now.Replicas != group.Replicas {
			changes = append(changes, recommender.GroupChange{Action: recommender.GroupUpdate, Group: group, Before: now.Replicas})
		}
	}

	for _, group := range after {
		if _, exists := find(before, group.Name); !exists {
			changes = append(changes, recommender.GroupChange{Action: recommender.GroupCreate, Group: group})
		}
	}

	return changes
}

// named sorts a copy of the groups by name and keeps the largest of each name.
func named(groups []recommender.Group) []recommender.Group {
	sorted := slices.Clone(groups)
	slices.SortStableFunc(sorted, func(a, b recommender.Group) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(b.Replicas, a.Replicas))
	})

	return slices.CompactFunc(sorted, func(a, b recommender.Group) bool { return a.Name == b.Name })
}

func find(groups []recommender.Group, name string) (recommender.Group, bool) {
	at, found := slices.BinarySearchFunc(groups, name, func(g recommender.Group, name string) int { return cmp.Compare(g.Name, name) })
	if !found {
		return recommender.Group{}, false
	}

	return groups[at], true
}
