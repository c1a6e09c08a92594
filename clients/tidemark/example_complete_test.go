package tidemark_test

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/clients/tidemark"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// Every function of the package, every method of its client and every call of the queue's service has an Example that runs.
func TestEverythingHasAnExample(t *testing.T) {
	t.Parallel()

	var sources, tests []*ast.File

	files := token.NewFileSet()
	entries, err := os.ReadDir(".")
	require.NoError(t, err)

	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), ".go") {
			continue
		}

		file, err := parser.ParseFile(files, entry.Name(), nil, parser.ParseComments)
		require.NoError(t, err)

		if strings.HasSuffix(entry.Name(), "_test.go") {
			tests = append(tests, file)
		} else {
			sources = append(sources, file)
		}
	}

	shown, called := make(map[string]bool), make(map[string]bool)

	for _, example := range doc.Examples(tests...) {
		require.True(t, example.Output != "" || example.EmptyOutput, "Example%s has no output, so it does not run", example.Name)

		// "Client_Queue_pause" is another one of "Client_Queue".
		name, suffix := example.Name, strings.LastIndex(example.Name, "_")
		if suffix >= 0 && name[suffix+1:] != "" && !ast.IsExported(name[suffix+1:]) {
			name = name[:suffix]
		}

		shown[name] = true

		ast.Inspect(example.Code, func(node ast.Node) bool {
			if selector, is := node.(*ast.SelectorExpr); is {
				called[selector.Sel.Name] = true
			}

			return true
		})
	}

	for method := range reflect.TypeFor[*tidemark.Client]().Methods() {
		require.True(t, shown["Client_"+method.Name], "there is no ExampleClient_%s", method.Name)
	}

	described, err := doc.NewFromFiles(files, append(sources, tests...), "tidemark")
	require.NoError(t, err)

	functions := described.Funcs
	for _, kind := range described.Types {
		functions = append(functions, kind.Funcs...)
	}

	require.NotEmpty(t, functions)

	for _, function := range functions {
		require.True(t, shown[function.Name], "there is no Example%s", function.Name)
	}

	for _, method := range tidemarkv1.QueueService_ServiceDesc.Methods {
		require.True(t, called[method.MethodName], "no Example calls %s", method.MethodName)
	}
}
