package kubernetes

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

const apps = "apps/v1"

// at is where the API has a workload.
func (w *workload) at() at {
	return at{group: apps, namespace: w.Metadata.Namespace, plural: w.kind.plural, name: w.Metadata.Name}
}

// find reads the workload that a service is.
func (a *Actuator) find(ctx context.Context, service key) (*workload, error) {
	namespace, err := fill(a.config.Namespace, service)
	if err != nil {
		return nil, refuse("%w", err)
	}

	if wrong := validation.IsDNS1123Label(namespace); len(wrong) > 0 {
		return nil, refuse("the service %s would be in the namespace %q, which can be none: %s", service, namespace, wrong[0])
	}

	looking := kinds
	if a.config.Kind != "" {
		only, err := kindNamed(a.config.Kind)
		if err != nil {
			return nil, refuse("%w", err)
		}

		looking = []kind{only}
	}

	what, search := a.search(service)

	var found []*workload

	for _, one := range looking {
		some, err := search(ctx, at{group: apps, namespace: namespace, plural: one.plural})
		if err != nil {
			return nil, err
		}

		for _, each := range some {
			each.kind = one
			found = append(found, each)
		}
	}

	return onlyOne(service, found, looking, what+" in the namespace "+namespace)
}

// search returns how a workload is looked for, in words and in deed.
func (a *Actuator) search(service key) (what string, search func(context.Context, at) ([]*workload, error)) {
	if a.config.Selector != "" {
		selector, err := fill(a.config.Selector, service)

		return "with the labels " + selector, func(ctx context.Context, all at) ([]*workload, error) {
			if err != nil {
				return nil, refuse("%w", err)
			}

			var found list[*workload]
			err := a.api.get(ctx, all, url.Values{labelSelector: {selector}}, &found)

			return found.Items, err
		}
	}

	name, err := fill(a.config.Name, service)

	return "named " + name, func(ctx context.Context, one at) ([]*workload, error) {
		if err != nil {
			return nil, refuse("%w", err)
		}

		if wrong := validation.IsDNS1123Subdomain(name); len(wrong) > 0 {
			return nil, refuse("the service %s would be the workload %q, which can be none: %s", service, name, wrong[0])
		}

		one.name = name

		found := new(workload)
		if err := a.api.get(ctx, one, nil, found); answered(err, http.StatusNotFound) {
			return nil, nil
		} else if err != nil {
			return nil, err
		}

		return []*workload{found}, nil
	}
}

func onlyOne(service key, found []*workload, looked []kind, where string) (*workload, error) {
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		names := make([]string, 0, len(looked))
		for _, one := range looked {
			names = append(names, one.name)
		}

		return nil, refuse("the service %s has no workload: there is no %s %s", service, strings.Join(names, " or "), where)
	default:
		names := make([]string, 0, len(found))
		for _, one := range found {
			names = append(names, one.String())
		}

		return nil, refuse("the service %s has %d workloads (%s), where it must have one: give their kind, or a narrower selector",
			service, len(found), strings.Join(names, ", "))
	}
}

// refresh reads the workload again, which may not be the agent's to change any more.
func (c *change) refresh(ctx context.Context) error {
	now := &workload{kind: c.workload.kind}
	if err := c.api.get(ctx, c.workload.at(), nil, now); err != nil {
		return err
	}

	if now.Metadata.UID != c.workload.Metadata.UID {
		return postpone(soon, "it was made anew meanwhile")
	}

	if now.Spec.Template.Spec.container(c.container) == nil {
		return postpone(soon, "its template lost the container %s meanwhile", c.container)
	}

	c.workload = now

	return c.owned()
}

// chooseContainer says which container of a pod is the service.
func chooseContainer(w *workload, configured string) (string, error) {
	const annotation = "kubectl.kubernetes.io/default-container"

	template := &w.Spec.Template
	said, by := template.Metadata.Annotations[annotation], "its annotation "+annotation

	if said == "" {
		said, by = configured, "the agent's configuration"
	}

	names := make([]string, 0, len(template.Spec.Containers))
	for _, one := range template.Spec.Containers {
		names = append(names, one.Name)
	}

	switch {
	case len(names) == 1:
		return names[0], nil
	case said == "":
		return "", fmt.Errorf("it has %d containers (%s), and nothing says which is the service: annotate the pod template with %s, "+
			"or start the agent with --kubernetes-container", len(names), strings.Join(names, ", "), annotation)
	case template.Spec.container(said) == nil:
		return "", fmt.Errorf("it has no container %q, which %s names; it has %s", said, by, strings.Join(names, ", "))
	default:
		return said, nil
	}
}
