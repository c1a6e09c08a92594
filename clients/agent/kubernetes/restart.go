package kubernetes

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// mayRestart says why its policy does not let the service restart; nil when it does.
func (c *change) mayRestart(what string) error {
	switch {
	case c.disruption == tidemarkv1.DisruptionClass_DISRUPTION_CLASS_NONE:
		return refuse("%s, and its policy allows changes without a restart only", what)
	case c.disruption == tidemarkv1.DisruptionClass_DISRUPTION_CLASS_ROLLING && c.workload.replicas() <= 1:
		return refuse("%s, and it has a single replica, which its policy does not allow to restart", what)
	default:
		return nil
	}
}

// mayInterrupt says why a replica that serves must not restart now, while so many others do; nil when it may.
func (c *change) mayInterrupt(ctx context.Context, what string, others int) error {
	if c.disruption != tidemarkv1.DisruptionClass_DISRUPTION_CLASS_RESTART && others == 0 {
		return postpone(soon, "%s, and no other replica is ready to serve meanwhile", what)
	}

	return c.budget(ctx, what)
}

// budget says which PodDisruptionBudget is used up; nil when none is. Only evictions are bound by them elsewhere; their
// authors will have meant all that can wait.
func (c *change) budget(ctx context.Context, what string) error {
	var budgets list[struct {
		Metadata metav1.ObjectMeta `json:"metadata"`
		Spec     struct {
			Selector *metav1.LabelSelector `json:"selector"`
		} `json:"spec"`
		Status struct {
			DisruptionsAllowed int32 `json:"disruptionsAllowed"`
		} `json:"status"`
	}]

	all := at{group: "policy/v1", namespace: c.workload.Metadata.Namespace, plural: "poddisruptionbudgets"}
	if err := c.api.get(ctx, all, nil, &budgets); err != nil {
		return err
	}

	pods := labels.Set(c.workload.Spec.Template.Metadata.Labels)

	for i := range budgets.Items {
		budget := &budgets.Items[i]

		selector, err := metav1.LabelSelectorAsSelector(budget.Spec.Selector)
		if err == nil && selector.Matches(pods) && budget.Status.DisruptionsAllowed < 1 {
			return postpone(later, "%s, and the PodDisruptionBudget %s allows no disruption now", what, budget.Metadata.Name)
		}
	}

	return nil
}
