package worker

import (
	"maps"
	"strings"

	"google.golang.org/protobuf/proto"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/size"
	"github.com/tidemark-project/tidemark/recommender/usage"
	"github.com/tidemark-project/tidemark/server/apivalue"
	"github.com/tidemark-project/tidemark/server/queue"
)

// newRecommendation writes a decision down in the API's terms.
func newRecommendation(
	service string, p policy.Policy, d recommender.Decision, s usage.Snapshot, triggers []queue.Record,
) *tidemarkv1.Recommendation {
	r := &tidemarkv1.Recommendation{
		Service:     service,
		Allocation:  apivalue.SizeOrNone(d.Allocation),
		Recommended: apivalue.SizeOrNone(d.Recommended),
		Observed:    apivalue.SizeOrNone(d.Observed),
		Uncapped:    apivalue.SizeOrNone(d.Uncapped),
		Direction:   directions[d.Direction],
		Mode:        modes[d.Mode],
		Disruption:  disruptions[d.Disruption],
		Plan:        planOrNone(d.Plan),
		Status:      statuses[d.Status],
		Explanation: explanation(d.Explanation),
		Policy:      &tidemarkv1.PolicyRef{Name: p.Name, Hash: p.Hash},
		DataTime:    apivalue.TimeOrNone(s.NewestSample),
		Labels:      apivalue.Labels(s.Labels),
	}

	for _, reason := range d.Reasons {
		r.Reasons = append(r.Reasons, reasonOf(reason))
	}

	for _, trigger := range triggers {
		r.Triggers = append(r.Triggers, apivalue.TriggerRecord(trigger))
	}

	return r
}

// sameValue reports that a watcher who knows one learns nothing from the other. Times, reasons, the explanation and the
// unrounded need change with every sample; what should be done does not, nor what a watcher's filter may ask for: a service
// that has come to match, or no longer matches, is a change to them.
func sameValue(a, b *tidemarkv1.Recommendation) bool {
	return a != nil && b != nil &&
		proto.Equal(a.GetAllocation(), b.GetAllocation()) &&
		proto.Equal(a.GetRecommended(), b.GetRecommended()) &&
		proto.Equal(a.GetObserved(), b.GetObserved()) &&
		proto.Equal(a.GetPlan(), b.GetPlan()) &&
		a.GetDisruption() == b.GetDisruption() &&
		a.GetDirection() == b.GetDirection() &&
		a.GetMode() == b.GetMode() &&
		a.GetStatus() == b.GetStatus() &&
		proto.Equal(a.GetPolicy(), b.GetPolicy()) &&
		maps.Equal(a.GetLabels(), b.GetLabels())
}

// planOrNone writes a plan down; nil when there is none.
func planOrNone(changes []recommender.GroupChange) *tidemarkv1.ScalingPlan {
	if len(changes) == 0 {
		return nil
	}

	plan := &tidemarkv1.ScalingPlan{}

	for _, c := range changes {
		plan.Changes = append(plan.Changes, &tidemarkv1.GroupChange{
			Action:         groupActions[c.Action],
			Group:          c.Group.Name,
			Template:       c.Group.Template,
			Size:           apivalue.SizeOrNone(size.Size{Replicas: c.Group.Replicas}.With(c.Group.Resources)),
			StorageBytes:   c.Group.StorageBytes,
			ReplicasBefore: c.Before,
		})
	}

	return plan
}

// name is an enum value without its prefix.
func name(value, prefix string) string { return strings.TrimPrefix(value, prefix) }
