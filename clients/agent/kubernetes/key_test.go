package kubernetes

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheKeyOfAServiceFillsAText(t *testing.T) {
	t.Parallel()

	orders := key{tenant: "prod", name: "orders-db"}

	for text, want := range map[string]string{
		"{tenant}": "prod", "{name}": "orders-db", "databases": "databases", "": "",
		"db-{tenant}-x": "db-prod-x", "{tenant}{name}": "prodorders-db", "app={name},env={tenant}": "app=orders-db,env=prod",
	} {
		got, err := fill(text, orders)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}

	for text, want := range map[string]string{
		"{name": "has a { without its }", "name}": "has a } without its {", "{namespace}": "there are only {tenant} and {name}",
		"{}": "has {}", "{{name}}": "has {{name}",
	} {
		_, err := fill(text, orders)
		require.ErrorContains(t, err, want, text)
	}
}

func TestKeysThatNameNoWorkload(t *testing.T) {
	t.Parallel()

	for service, want := range map[string]string{
		"orders-db": "no key of the form tenant/name", "/x": "no key", "x/": "no key", "prod/a/b": "cannot be one of Kubernetes",
		"prod/a,b": "cannot be one of Kubernetes", "prod/" + strings.Repeat("x", 64): "63",
	} {
		_, err := parseKey(service)
		require.ErrorContains(t, err, want, service)
	}
}

func FuzzKey(f *testing.F) {
	for _, seed := range []string{"prod/orders-db", "a/b/c", "/", "ä/b", "x/{name}"} {
		f.Add(seed)
	}

	f.Fuzz(func(t *testing.T, service string) {
		parsed, err := parseKey(service)
		if err != nil {
			return
		}

		require.Equal(t, service, parsed.String())
		require.NotContains(t, parsed.name, "/")
		require.NotContains(t, parsed.name, ",")
		require.NotContains(t, parsed.tenant, "=")
	})
}

func FuzzFill(f *testing.F) {
	for _, seed := range []string{"{tenant}", "a{name}b", "{", "}", "{x}", "}{"} {
		f.Add(seed)
	}

	f.Fuzz(func(t *testing.T, text string) {
		filled, err := fill(text, key{tenant: "T", name: "N"})
		if err != nil {
			return
		}

		// No brace is left, and what was no placeholder is still there.
		require.NotContains(t, filled, "{")
		require.NotContains(t, filled, "}")
		require.Equal(t, strings.NewReplacer("{tenant}", "T", "{name}", "N").Replace(text), filled)
	})
}
