package tidemark_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/clients/tidemark"
	"github.com/tidemark-project/tidemark/internal/exampletest"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// Every function of the package, every method of its client and every call of the queue's service has an Example that runs.
func TestEverythingHasAnExample(t *testing.T) {
	t.Parallel()

	examples, err := exampletest.Of(".")
	require.NoError(t, err)
	require.Empty(t, examples.Silent, "without an output they do not run")

	for method := range reflect.TypeFor[*tidemark.Client]().Methods() {
		require.True(t, examples.Shown["Client_"+method.Name], "there is no ExampleClient_%s", method.Name)
	}

	for _, function := range examples.Functions {
		require.True(t, examples.Shown[function], "there is no Example%s", function)
	}

	for _, method := range tidemarkv1.QueueService_ServiceDesc.Methods {
		require.True(t, examples.Called[method.MethodName], "no Example calls %s", method.MethodName)
	}
}
