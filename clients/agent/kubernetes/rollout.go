package kubernetes

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

const (
	// fieldManager owns the resources of the container in a template.
	fieldManager = "tidemark-agent"
	// revisionAnnotation on a template says which recommendation it was last changed for. It makes a template differ also
	// when its size is right and that of its pods is not.
	revisionAnnotation = "tidemark.dev/revision"
)

// templateGets returns the resources that the template's container is to have.
func (c *change) templateGets() resources {
	template := &c.workload.Spec.Template.Spec

	return c.config.Limits.resized(template.container(c.container).Resources, c.want, template.qos() == guaranteed)
}

// templated reports that the template has the size.
func (c *change) templated() bool {
	return same(c.workload.Spec.Template.Spec.container(c.container).Resources, c.templateGets())
}

// noted reports that the template was changed for this recommendation.
func (c *change) noted() bool {
	return c.workload.Spec.Template.Metadata.Annotations[revisionAnnotation] == strconv.FormatInt(c.revision, 10)
}

// rollOut changes the template and returns when all pods have been made anew from it.
func (c *change) rollOut(ctx context.Context) error {
	// One that goes on to the same size is not begun again for a newer recommendation.
	if !c.templated() || !c.noted() && !c.workload.rollingOut() {
		if err := c.readPods(ctx); err != nil {
			return err
		}

		// Also when only the number of replicas has to change.
		switch {
		case c.sized():
			return nil
		case c.allAsked():
			return postpone(soon, "its pods were made with the size, and not all of them have it yet")
		}

		if err := c.mayRollOut(ctx); err != nil {
			return err
		}

		if err := c.applyTemplate(ctx); err != nil || c.config.DryRun != nil {
			return err
		}
	}

	if err := c.awaitRollout(ctx); err != nil {
		return err
	}

	if err := c.check(ctx); err != nil {
		return err
	}

	return c.note(ctx)
}

// mayRollOut says why the template must not be changed; nil when it may be.
func (c *change) mayRollOut(ctx context.Context) error {
	const what = "its template has to change, which restarts all its pods"

	w := c.workload

	switch {
	case w.onDelete():
		return refuse("%s: but it has the update strategy OnDelete, so no pod would get the size", w.kind.name)
	case w.kind == statefulSet && w.Spec.UpdateStrategy.RollingUpdate.Partition > 0:
		return refuse("a change of its template would not reach the pods that its rolling update holds back (partition %d)",
			w.Spec.UpdateStrategy.RollingUpdate.Partition)
	case w.replicas() > 1 && w.atOnce() && c.disruption != tidemarkv1.DisruptionClass_DISRUPTION_CLASS_RESTART:
		return refuse("%s, and its strategy lets all of them be away at once (Recreate, or maxUnavailable), which its policy does "+
			"not allow", what)
	}

	if is, would := c.classes(); is != would && is != bestEffort && c.config.Limits != LimitsRequest {
		return refuse("its pods would change from class %s to %s: keep the ratio of limits to requests (--kubernetes-limits=ratio)",
			is, would)
	}

	for _, why := range []func() error{
		c.maker, func() error { return c.mayRestart(what) }, c.beyondLimits, func() error { return c.admitted(ctx) },
	} {
		if err := why(); err != nil {
			return err
		}
	}

	ready := 0

	for _, each := range c.pods {
		if each.ready() {
			ready++
		}
	}

	switch {
	case w.rollingOut(), ready == 0: // the agent's own goes on otherwise; or nothing serves
		return nil
	case c.disruption != tidemarkv1.DisruptionClass_DISRUPTION_CLASS_RESTART && ready < int(w.replicas()):
		return postpone(soon, "%s, of which only %d of %d are ready now", what, ready, w.replicas())
	default:
		return c.mayInterrupt(ctx, what, ready-1)
	}
}

// classes returns the class of the pods that are made from the template, as it is and as it would be.
func (c *change) classes() (is, would qosClass) {
	template := &c.workload.Spec.Template.Spec

	return template.qos(), template.with(c.container, c.templateGets()).qos()
}

// applyTemplate makes the template say the size, by server-side apply. Whatever the agent has set before stays, as what it
// does not mention any more would be removed.
func (c *change) applyTemplate(ctx context.Context) error {
	from, to := c.workload.Spec.Template.Spec.container(c.container).Resources, c.templateGets()
	containers := []patchContainer{{c.container, to.only()}}

	for _, name := range c.workload.appliedTo(fieldManager) {
		if other := c.workload.Spec.Template.Spec.container(name); other != nil && name != c.container {
			containers = append(containers, patchContainer{name, other.Resources.only()})
		}
	}

	body := c.workload.patch()
	body.Spec = new(patchSpec)
	body.Spec.Template.Metadata.Annotations = map[string]string{revisionAnnotation: strconv.FormatInt(c.revision, 10)}
	body.Spec.Template.Spec.Containers = containers

	now := &workload{kind: c.workload.kind}
	if err := c.api.apply(ctx, c.workload.at(), fieldManager, c.config.ForceConflicts, body, now); err != nil {
		return err
	}

	c.logf(ctx, c, "changed the template, container %s: %s", c.container, difference(from, to))

	c.workload = now

	return nil
}

// appliedTo returns the names of the containers of which the manager has applied something.
func (w *workload) appliedTo(manager string) (names []string) {
	for i := range w.Metadata.ManagedFields {
		entry := &w.Metadata.ManagedFields[i]
		template := fieldsOf(entry).Spec.Template

		if entry.Manager != manager || entry.Operation != "Apply" || template == nil {
			continue
		}

		for _, field := range slices.Sorted(maps.Keys(template.Spec.Containers)) {
			var key struct {
				Name string `json:"name"`
			}

			if text, isKey := strings.CutPrefix(field, "k:"); isKey && json.Unmarshal([]byte(text), &key) == nil {
				names = append(names, key.Name)
			}
		}
	}

	return names
}

// awaitRollout waits until all pods have been made from the template and are ready.
func (c *change) awaitRollout(ctx context.Context) error {
	err := await(ctx, c.api, c.workload.at(), func(now *workload) (bool, error) {
		now.kind = c.workload.kind
		c.workload = now

		for _, condition := range now.Status.Conditions {
			if condition.Type == "Progressing" && condition.Reason == "ProgressDeadlineExceeded" {
				return false, postpone(later, "the rollout is stuck: %s", condition.Message)
			}
		}

		return now.rolledOut(), nil
	})
	if err != nil {
		return fmt.Errorf("wait for the rollout (%d of %d replicas updated, %d ready): %w", c.workload.Status.UpdatedReplicas,
			c.workload.replicas(), c.workload.Status.ReadyReplicas, err)
	}

	return nil
}

// check makes sure that the pods that a rollout has made have the size.
func (c *change) check(ctx context.Context) error {
	if err := c.readPods(ctx); err != nil {
		return err
	}

	for _, each := range c.pods {
		if !c.asked(each) {
			has := difference(c.gets(each), each.Spec.container(c.container).Resources)

			return refuse("the pod %s was made from the template and does not have its size (%s): something changes pods as they "+
				"are made", each.Metadata.Name, has)
		}
	}

	return nil
}
