package kubernetes

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

// key is the key of a service, in its parts.
type key struct{ tenant, name string }

func (k key) String() string { return k.tenant + "/" + k.name }

// parseKey takes the key of a service apart. Each part must be fit for the value of a label, so that it can stand in a
// selector without changing what that means.
func parseKey(service string) (key, error) {
	tenant, name, found := strings.Cut(service, "/")
	if !found || tenant == "" || name == "" {
		return key{}, fmt.Errorf("the service %q has no key of the form tenant/name", service)
	}

	for _, part := range []string{tenant, name} {
		if wrong := validation.IsValidLabelValue(part); len(wrong) > 0 {
			return key{}, fmt.Errorf("the service %q cannot be one of Kubernetes: %q: %s", service, part, wrong[0])
		}
	}

	return key{tenant: tenant, name: name}, nil
}

// fill puts the parts of a key where the text has {tenant} and {name}. There are no other braces.
func fill(text string, with key) (string, error) {
	var filled strings.Builder

	for rest := text; rest != ""; {
		before, after, found := strings.Cut(rest, "{")
		if strings.Contains(before, "}") {
			return "", fmt.Errorf("%q has a } without its {", text)
		}

		filled.WriteString(before)

		if !found {
			break
		}

		word, behind, closed := strings.Cut(after, "}")

		switch {
		case !closed:
			return "", fmt.Errorf("%q has a { without its }", text)
		case word == "tenant":
			filled.WriteString(with.tenant)
		case word == "name":
			filled.WriteString(with.name)
		default:
			return "", fmt.Errorf("%q has {%s}; there are only {tenant} and {name}", text, word)
		}

		rest = behind
	}

	return filled.String(), nil
}
