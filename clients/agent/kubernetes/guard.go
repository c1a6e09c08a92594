package kubernetes

import (
	"context"
	"encoding/json"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	// optOutAnnotation on a workload keeps the agent away from it, unless its value is "false".
	optOutAnnotation = "tidemark.dev/opt-out"
	// serviceAnnotation on a workload says the key of the service that it is; the agent touches it for no other.
	serviceAnnotation = "tidemark.dev/service"
)

// owned says why the workload is not the agent's to change; nil when it is.
func (c *change) owned() error {
	about := &c.workload.Metadata

	optOut, isOut := about.Annotations[optOutAnnotation]

	switch service := about.Annotations[serviceAnnotation]; {
	case isOut && optOut != "false":
		return refuse("its annotation %s forbids any change", optOutAnnotation)
	case service != "" && service != c.key.String():
		return refuse("its annotation %s says that it is the service %q, and not %q", serviceAnnotation, service, c.key)
	case about.DeletionTimestamp != nil:
		return refuse("it is being deleted")
	case c.workload.replicas() == 0:
		return refuse("it is scaled to zero; the agent wakes nothing that somebody has put to sleep")
	default:
		return nil
	}
}

// claim says which other service the workload is; nil when it is none. Two services of one workload would each undo what
// the other gets, and restart replicas at the same time.
func (c *change) claim() error {
	about := &c.workload.Metadata

	if about.Annotations[serviceAnnotation] == c.key.String() {
		c.services.Store(about.UID, c.key)

		return nil
	}

	if first, _ := c.services.LoadOrStore(about.UID, c.key); first != c.key {
		return refuse("it is the service %s already, and cannot be %s as well: annotate it with %s, or start the agent with a "+
			"namespace, a name or a selector that tells the two apart", first, c.key, serviceAnnotation)
	}

	return nil
}

// maker says who makes the workload, and would change it back; nil when nobody does.
func (c *change) maker() error {
	owner := metav1.GetControllerOfNoCopy(&c.workload.Metadata)
	if owner == nil || c.config.ForceConflicts {
		return nil
	}

	return refuse("the %s %s makes it, and would change it back: give that the size, or start the agent with "+
		"--kubernetes-force-conflicts", owner.Kind, owner.Name)
}

// guard says why the workload must not be changed now; nil when it may be.
func (c *change) guard(ctx context.Context) error {
	w := c.workload

	switch {
	case w.Spec.Template.Spec.Resources != nil:
		return refuse("its template has resources for the pod as a whole, which do not follow those of a container: remove them")
	case w.Spec.Paused:
		return postpone(later, "it is paused (spec.paused)")
	case w.Status.ObservedGeneration < w.Metadata.Generation:
		return postpone(soon, "its controller has not seen its latest change")
	case w.rollingOut() && !c.own():
		return postpone(later, "somebody else's rollout is under way")
	}

	switch {
	case c.replicas == 0 || c.replicas == w.replicas():
		return nil
	case c.replicas < w.replicas() && c.seen != 0 && c.seen != w.replicas():
		return postpone(later, "it has %d replicas, and the recommendation of %d was made when there were %d: none is removed before "+
			"there is one that has seen them", w.replicas(), c.replicas, c.seen)
	}

	if err := c.maker(); err != nil {
		return err
	}

	return c.unscaled(ctx)
}

// own reports that the rollout which is under way is that of the agent's latest change.
func (c *change) own() bool { return c.behind() && c.workload.changedBy(fieldManager) }

// behind reports that a rollout replaces pods that were made before the agent last changed the template.
func (c *change) behind() bool {
	now := c.workload.Spec.Template.Metadata.Annotations[revisionAnnotation]

	return slices.ContainsFunc(c.pods, func(p *pod) bool { return p.Metadata.Annotations[revisionAnnotation] != now })
}

// unscaled says which HorizontalPodAutoscaler controls the number of replicas; nil when none does.
func (c *change) unscaled(ctx context.Context) error {
	var scalers list[struct {
		Metadata metav1.ObjectMeta `json:"metadata"`
		Spec     struct {
			Target struct {
				Kind string `json:"kind"`
				Name string `json:"name"`
			} `json:"scaleTargetRef"`
		} `json:"spec"`
	}]

	all := at{group: "autoscaling/v2", namespace: c.workload.Metadata.Namespace, plural: "horizontalpodautoscalers"}
	if err := c.api.get(ctx, all, nil, &scalers); err != nil {
		return err
	}

	for i := range scalers.Items {
		scaler := &scalers.Items[i]
		if scaler.Spec.Target.Kind == c.workload.kind.name && scaler.Spec.Target.Name == c.workload.Metadata.Name {
			return refuse("the HorizontalPodAutoscaler %s controls its replicas, which the recommendation would change from %d to %d: "+
				"let one of them control replicas only", scaler.Metadata.Name, c.workload.replicas(), c.replicas)
		}
	}

	return nil
}

// rollingOut reports that pods of an older template have yet to be replaced.
func (w *workload) rollingOut() bool {
	switch {
	case w.kind == deployment:
		return w.Status.Replicas > w.Status.UpdatedReplicas
	case w.onDelete():
		return false
	default: // a canary, which is held back by the partition, is as far as it goes
		return w.Status.CurrentRevision != w.Status.UpdateRevision &&
			w.Status.UpdatedReplicas < w.replicas()-w.Spec.UpdateStrategy.RollingUpdate.Partition
	}
}

// rolledOut reports that every pod has been made from the template, and is ready.
func (w *workload) rolledOut() bool {
	return w.Status.ObservedGeneration >= w.Metadata.Generation && !w.rollingOut() &&
		w.Status.UpdatedReplicas >= w.replicas() && w.Status.Replicas == w.replicas() && w.Status.ReadyReplicas >= w.replicas()
}

// ownedFields is a part of what the API server notes about who set which fields.
type ownedFields struct {
	Spec struct {
		Template *struct {
			Spec struct {
				Containers map[string]json.RawMessage `json:"f:containers"`
			} `json:"f:spec"`
		} `json:"f:template"`
	} `json:"f:spec"`
}

// changedBy reports that the manager was the last to change the template.
func (w *workload) changedBy(manager string) bool {
	var last *metav1.ManagedFieldsEntry

	for i := range w.Metadata.ManagedFields {
		entry := &w.Metadata.ManagedFields[i]
		if entry.Time == nil || entry.Subresource != "" || fieldsOf(entry).Spec.Template == nil {
			continue
		}

		// The times are whole seconds.
		if last == nil || entry.Time.After(last.Time.Time) || entry.Time.Equal(last.Time) && entry.Manager == manager {
			last = entry
		}
	}

	return last != nil && last.Manager == manager
}

// fieldsOf returns what is known of an entry; nothing when it cannot be read.
func fieldsOf(entry *metav1.ManagedFieldsEntry) (fields ownedFields) {
	if entry.FieldsV1 != nil && json.Unmarshal(entry.FieldsV1.GetRawBytes(), &fields) != nil {
		return ownedFields{}
	}

	return fields
}
