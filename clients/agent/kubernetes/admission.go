package kubernetes

import (
	"context"
	"fmt"
	"net/http"
)

// What a template says is not checked by the API server until pods are made from it. By then a StatefulSet has deleted the
// pod that the new one replaces.

// beyondLimits says which limit that pods get as they are made, such as the default of a LimitRange, is below what the
// template would ask for; nil when none is.
func (c *change) beyondLimits() error {
	gets := c.templateGets()

	for _, each := range c.pods {
		has := each.Spec.container(c.container).Resources

		for _, name := range sizes {
			limit, limited := has.Limits[name]
			request := gets.Requests[name]

			if _, says := gets.Limits[name]; limited && !says && request.Cmp(limit) > 0 {
				return refuse("the pod %s has a %s limit of %s, which its template does not say (from a LimitRange perhaps), and "+
					"pods that ask for %s could not be made: give the template a limit", each.Metadata.Name, name, limit.String(),
					request.String())
			}
		}
	}

	return nil
}

// admitted says why pods of the size would not be let in, by a LimitRange, a quota or a policy of the cluster; nil when
// nothing is known against them. It has the API server check, without doing it, that a pod there is gets the size.
func (c *change) admitted(ctx context.Context) error {
	if len(c.pods) == 0 {
		return nil
	}

	if able, err := c.canResize(ctx); err != nil || !able {
		return err
	}

	one := c.pods[0]
	body := podPatch{}
	body.Spec.Containers = []patchContainer{{c.container, c.gets(one).only()}}

	err := c.api.try(ctx, one.at("resize"), body)

	switch {
	case err == nil, impossible(err), answered(err, http.StatusNotFound): // no more than that pod stands against it
		return nil
	case unauthorised(err): // the right to resize pods is not needed otherwise
		return nil
	default:
		return fmt.Errorf("find out whether pods of that size would be let in: %w", err)
	}
}
