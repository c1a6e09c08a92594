package agent_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/clients/agent"
	"github.com/tidemark-project/tidemark/internal/exampletest"
)

// Every function of the package and every method of its agent has an Example that runs.
func TestEverythingHasAnExample(t *testing.T) {
	t.Parallel()

	examples, err := exampletest.Of(".")
	require.NoError(t, err)
	require.Empty(t, examples.Silent, "without an output they do not run")

	for method := range reflect.TypeFor[*agent.Agent]().Methods() {
		require.True(t, examples.Shown["Agent_"+method.Name], "there is no ExampleAgent_%s", method.Name)
	}

	for _, function := range examples.Functions {
		require.True(t, examples.Shown[function], "there is no Example%s", function)
	}
}
