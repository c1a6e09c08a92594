package kubernetes

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

var errNeverReady = errors.New("it was not ready before, and still is not")

// resizePod asks for the size of a pod, unless that was done before, and waits until it has it.
func (c *change) resizePod(ctx context.Context, p *pod) (why string, err error) {
	if !c.asked(p) {
		if c.tried[p.Metadata.UID] {
			return "", postpone(later, "somebody else has changed the size of the pod %s, which the agent has just set", p.Metadata.Name)
		}

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

	gets := c.gets(p)
	got, err := c.ask(ctx, p, gets)

	switch {
	case impossible(err):
		return err.Error(), nil
	case answered(err, http.StatusNotFound):
		return "", postpone(soon, "the pod %s has gone meanwhile", p.Metadata.Name)
	case err != nil:
		return "", err
	case !same(got, gets):
		return "", refuse("the pod %s was not given what was asked for (%s): something changes what pods ask for",
			p.Metadata.Name, difference(gets, got))
	}

	c.tried[p.Metadata.UID] = true

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

// ask writes the resources of a pod's container, and returns those that it asks for then. It does not, if the pod has been
// replaced by another of its name.
func (c *change) ask(ctx context.Context, p *pod, to resources) (got resources, err error) {
	from := p.Spec.container(c.container).Resources

	body := podPatch{Metadata: patchMetadata{UID: p.Metadata.UID}}
	body.Spec.Containers = []patchContainer{{c.container, to.only()}}

	now := new(pod)
	if err := c.api.merge(ctx, p.at("resize"), body, now); err != nil {
		return resources{}, err
	}

	if it := now.Spec.container(c.container); it != nil {
		got = it.Resources
	}

	c.logf(ctx, c, "resized the pod %s in place, container %s: %s", p.Metadata.Name, c.container, difference(from, got))

	return got, nil
}

func (p *pod) at(sub string) at {
	return at{namespace: p.Metadata.Namespace, plural: "pods", name: p.Metadata.Name, sub: sub}
}

// awaitPod waits until a pod has the size that its spec says, and is ready. A size that its node will never give it is
// taken back.
func (c *change) awaitPod(ctx context.Context, p *pod) (why string, err error) {
	said := "nothing is known of it"
	state, waiting := underWay, ctx

	if !p.ready() {
		limited, cancel := context.WithTimeoutCause(ctx, c.patience, errNeverReady)
		defer cancel()

		waiting = limited
	}

	err = await(waiting, c.api, p.at(""), func(now *pod) (bool, error) {
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
	case errors.Is(err, errNeverReady):
		return "", postpone(soon, "the pod %s was not ready before, and still is not (%s)", name, said)
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
		if _, err := c.ask(ctx, p, *status.Resources); err != nil {
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
