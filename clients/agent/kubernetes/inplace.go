package kubernetes

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// inPlace resizes pods in place, one after the other, and returns when the kubelets have done it. A reason why that is
// not possible is no error.
func (c *change) inPlace(ctx context.Context) (why string, err error) {
	if able, err := c.canResize(ctx); err != nil {
		return "", err
	} else if !able {
		return "the API server has no pods/resize", nil
	}

	if err := c.readPods(ctx); err != nil {
		return "", err
	}

	for _, each := range c.pods {
		if why := c.unable(each); why != "" {
			return why, nil
		}
	}

	if c.config.DryRun != nil {
		return c.resizeAll(ctx)
	}

	for {
		next, err := c.next()
		if err != nil {
			return "", err
		}

		if next == nil {
			return "", c.finish(ctx)
		}

		if why, err := c.resizePod(ctx, next); why != "" || err != nil {
			return why, err
		}

		if err := c.readPods(ctx); err != nil {
			return "", err
		}
	}
}

// canResize asks the API server whether it resizes pods in place, until it has said so once.
func (c *change) canResize(ctx context.Context) (bool, error) {
	if c.resizes.Load() {
		return true, nil
	}

	var served metav1.APIResourceList
	if err := c.api.discover(ctx, &served); err != nil {
		return false, err
	}

	able := slices.ContainsFunc(served.APIResources, func(r metav1.APIResource) bool { return r.Name == "pods/resize" })
	if able {
		c.resizes.Store(true)
	}

	return able, nil
}

// unable says why a pod cannot get its size in place; "" when nothing is known against it.
func (c *change) unable(p *pod) string {
	if c.state(p) == actuated {
		return ""
	}

	if is, would := p.Spec.qos(), p.Spec.with(c.container, c.gets(p)).qos(); is != would {
		return fmt.Sprintf("the pod %s would change from class %s to %s", p.Metadata.Name, is, would)
	}

	status := p.Status.container(c.container)
	if status != nil && status.State.Running != nil && status.Resources == nil {
		return fmt.Sprintf("the node of the pod %s cannot do it", p.Metadata.Name)
	}

	return ""
}

// next chooses the pod whose turn it is: one that is not ready first, as it has nothing to lose, and one that is ready only
// while all the others are. It is nil when all have their size.
func (c *change) next() (*pod, error) {
	missing := int(c.workload.replicas()) - len(c.pods)

	var next, unready *pod

	for _, each := range c.pods {
		if !each.ready() {
			unready = each
		}

		if c.state(each) != actuated && (next == nil || next.ready() && !each.ready()) {
			next = each
		}
	}

	switch {
	case next == nil && missing > 0:
		return nil, postpone(soon, "%d of its replicas have no pod yet", missing)
	case next == nil || !next.ready():
		return next, nil
	case missing > 0:
		return nil, postpone(soon, "%d of its replicas have no pod, so the others are left alone for now", missing)
	case unready != nil:
		return nil, postpone(soon, "the pod %s is not ready, so the others are left alone for now", unready.Metadata.Name)
	default:
		return next, nil
	}
}

// resizePod asks for the size of a pod, unless that was done before, and waits until it has it.
func (c *change) resizePod(ctx context.Context, p *pod) (why string, err error) {
	if !c.asked(p) {
		if why, err := c.askFor(ctx, p); why != "" || err != nil {
			return why, err
		}
	}

	return c.awaitPod(ctx, p)
}

// resizeAll lets the API server check what it would be asked for.
func (c *change) resizeAll(ctx context.Context) (why string, err error) {
	for _, each := range c.pods {
		if c.asked(each) {
			continue
		}

		if why, err := c.askFor(ctx, each); why != "" || err != nil {
			return why, err
		}
	}

	return "", c.finish(ctx)
}

// askFor asks for the size of a pod, if that may be done to it.
func (c *change) askFor(ctx context.Context, p *pod) (why string, err error) {
	if restarts := c.restarts(p); restarts != "" {
		if err := c.mayRestart(restarts); err != nil {
			return "", err
		}

		// One that does not serve has nothing to lose, and may need the size to do so.
		if p.ready() {
			if err := c.mayInterrupt(ctx, restarts, c.others(p)); err != nil {
				return "", err
			}
		}
	}

	err = c.ask(ctx, p, c.gets(p))

	switch {
	case impossible(err):
		return err.Error(), nil
	case answered(err, http.StatusNotFound):
		return "", postpone(soon, "the pod %s has gone meanwhile", p.Metadata.Name)
	case err != nil:
		return "", err
	}

	c.resized = true

	return "", nil
}

// restarts says that, and why, the container restarts when the pod gets its size; "" when it does not.
func (c *change) restarts(p *pod) string {
	its := p.Spec.container(c.container)
	changed := changes(its.Resources, c.gets(p))

	for _, policy := range its.ResizePolicy {
		if policy.RestartPolicy == "RestartContainer" && slices.Contains(changed, policy.ResourceName) {
			return fmt.Sprintf("the container %s of the pod %s restarts when its %s is resized (resizePolicy)",
				its.Name, p.Metadata.Name, policy.ResourceName)
		}
	}

	return ""
}

// ask writes the resources of a pod's container. It does not, if the pod has been replaced by another of its name.
func (c *change) ask(ctx context.Context, p *pod, to resources) error {
	from := p.Spec.container(c.container).Resources

	body := podPatch{Metadata: patchMetadata{UID: p.Metadata.UID}}
	body.Spec.Containers = []patchContainer{{c.container, to.only()}}

	if err := c.api.merge(ctx, p.at("resize"), body, nil); err != nil {
		return err
	}

	c.logf(ctx, c, "resized the pod %s in place, container %s: %s", p.Metadata.Name, c.container, difference(from, to))

	return nil
}

func (p *pod) at(sub string) at {
	return at{namespace: p.Metadata.Namespace, plural: "pods", name: p.Metadata.Name, sub: sub}
}

// awaitPod waits until a pod has the size that its spec says, and is ready. A size that its node will never give it is
// taken back.
func (c *change) awaitPod(ctx context.Context, p *pod) (why string, err error) {
	said := "nothing is known of it"
	state := underWay

	err = await(ctx, c.api, p.at(""), func(now *pod) (bool, error) {
		if now.Metadata.UID != p.Metadata.UID {
			return false, errGone
		}

		p = now

		if state, said = now.actuation(c.container); state == actuated && !now.ready() {
			said = "it is not ready"

			return false, nil
		}

		return state != underWay, nil
	})

	name := p.Metadata.Name

	switch {
	case errors.Is(err, errGone):
		return "", postpone(soon, "the pod %s has gone meanwhile", name)
	case err != nil:
		return "", fmt.Errorf("wait for the resize of the pod %s (%s): %w", name, said, err)
	case state == deferred:
		return "", postpone(later, "the node of the pod %s has no room now, and resizes it when there is some: %s", name, said)
	case state == infeasible:
		return c.takeBack(ctx, p, said)
	default:
		return "", nil
	}
}

// takeBack makes the spec of a pod say what the container has.
func (c *change) takeBack(ctx context.Context, p *pod, said string) (why string, err error) {
	why = fmt.Sprintf("the node of the pod %s lacks room: %s", p.Metadata.Name, said)

	if status := p.Status.container(c.container); status != nil && status.Resources != nil {
		if err := c.ask(ctx, p, *status.Resources); err != nil {
			return "", fmt.Errorf("%s; and taking that back failed: %w", why, err)
		}
	}

	return why, nil
}

// difference tells how resources change.
func difference(from, to resources) string {
	var said []string

	for _, name := range sizes {
		for _, part := range []struct {
			what     string
			from, to map[string]quantity
		}{{"", from.Requests, to.Requests}, {" limit", from.Limits, to.Limits}} {
			before, had := part.from[name]
			after := part.to[name]

			switch {
			case before.Cmp(after) == 0:
			case had:
				said = append(said, fmt.Sprintf("%s%s %s to %s", name, part.what, before.String(), after.String()))
			default:
				said = append(said, fmt.Sprintf("%s%s none to %s", name, part.what, after.String()))
			}
		}
	}

	return strings.Join(said, ", ")
}
