package kubernetes

import (
	"context"
	"fmt"
	"slices"

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

		if err := c.lookAgain(ctx); err != nil {
			return "", err
		}
	}
}

// lookAgain reads everything again, as others may have changed it while a pod was waited for.
func (c *change) lookAgain(ctx context.Context) error {
	if err := c.refresh(ctx); err != nil {
		return err
	}

	if c.workload.rollingOut() {
		return postpone(later, "a rollout of its template has begun meanwhile")
	}

	return c.readPods(ctx)
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
