package kubernetes

import (
	"context"
	"net/url"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

const (
	// labelSelector is the parameter of a request that selects things by their labels.
	labelSelector = "labelSelector"
	// podsAtOnce bounds the memory that reading the pods of a large workload takes: a pod may be 20 kB as it is sent.
	podsAtOnce = "100"
)

// readPods reads the live pods of the workload, in the order of their names.
func (c *change) readPods(ctx context.Context) error {
	selector, err := metav1.LabelSelectorAsSelector(c.workload.Spec.Selector)
	if err != nil || selector.Empty() {
		return refuse("%s: its pods cannot be told apart by its selector", c.workload)
	}

	namespace, query := c.workload.Metadata.Namespace, url.Values{labelSelector: {selector.String()}}
	owners := []types.UID{c.workload.Metadata.UID}

	if c.workload.kind == deployment {
		var sets list[struct {
			Metadata metav1.ObjectMeta `json:"metadata"`
		}]

		if err := c.api.get(ctx, at{group: apps, namespace: namespace, plural: "replicasets"}, query, &sets); err != nil {
			return err
		}

		for i := range sets.Items {
			if set := &sets.Items[i].Metadata; controlledBy(set, owners) {
				owners = append(owners, set.UID)
			}
		}
	}

	pods, err := c.api.pods(ctx, namespace, selector.String())
	if err != nil {
		return err
	}

	c.pods = slices.DeleteFunc(pods, func(p *pod) bool {
		return !p.live() || !controlledBy(&p.Metadata, owners) || p.Spec.container(c.container) == nil
	})

	slices.SortFunc(c.pods, func(a, b *pod) int { return strings.Compare(a.Metadata.Name, b.Metadata.Name) })

	return nil
}

// pods reads the pods that a selector selects, page by page.
func (a *api) pods(ctx context.Context, namespace, selector string) (found []*pod, err error) {
	query := url.Values{labelSelector: {selector}, "limit": {podsAtOnce}}

	for {
		var page list[*pod]
		if err := a.get(ctx, at{namespace: namespace, plural: "pods"}, query, &page); err != nil {
			return nil, err
		}

		for _, each := range page.Items {
			each.Metadata.ManagedFields = nil // the largest part, and of no use here
		}

		found = append(found, page.Items...)

		if page.Metadata.Continue == "" {
			return found, nil
		}

		query.Set("continue", page.Metadata.Continue)
	}
}

// controlledBy reports that one of the owners makes and removes the thing.
func controlledBy(thing *metav1.ObjectMeta, owners []types.UID) bool {
	owner := metav1.GetControllerOfNoCopy(thing)

	return owner != nil && slices.Contains(owners, owner.UID)
}

// has returns the resources that a container of the pod has: what the kubelet reports or, when it does not, the spec.
func (p *pod) has(name string) resources {
	if status := p.Status.container(name); status != nil && status.Resources != nil {
		return *status.Resources
	}

	if c := p.Spec.container(name); c != nil {
		return c.Resources
	}

	return resources{}
}

// gets returns the resources that the container of a pod is to have.
func (c *change) gets(p *pod) resources {
	return c.config.Limits.resized(p.Spec.container(c.container).Resources, c.want, p.Spec.qos() == guaranteed)
}

// asked reports that the spec of a pod has the size.
func (c *change) asked(p *pod) bool { return same(p.Spec.container(c.container).Resources, c.gets(p)) }

// state is how far a pod is on its way to the size.
func (c *change) state(p *pod) actuation {
	if !c.asked(p) {
		return notAsked
	}

	state, _ := p.actuation(c.container)

	return state
}

// others counts the ready replicas beside a pod.
func (c *change) others(p *pod) (ready int) {
	for _, each := range c.pods {
		if each.Metadata.UID != p.Metadata.UID && each.ready() {
			ready++
		}
	}

	return ready
}
