package recommender

import "github.com/tidemark-project/tidemark/recommender/size"

// Group is a number of replicas that are all made from one resource template.
type Group struct {
	// Name identifies the group.
	Name string
	// Template is the name of the template.
	Template string
	// Resources is what each replica has.
	Resources size.Resources
	// StorageBytes is the storage of each replica; 0 when the template has none.
	StorageBytes int64
	// Replicas is how many there are.
	Replicas int32
}

// GroupAction is what happens to a group.
type GroupAction string

// The actions, in the order in which a plan takes them.
const (
	GroupDelete GroupAction = "DELETE"
	GroupUpdate GroupAction = "UPDATE"
	GroupCreate GroupAction = "CREATE"
)

// GroupChange is one step of a plan.
type GroupChange struct {
	// Action is what happens.
	Action GroupAction
	// Group is the group as it is after the step; after a deletion it has no replicas.
	Group Group
	// Before is its number of replicas before.
	Before int32
}
