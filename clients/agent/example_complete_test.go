package agent_test

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

	"github.com/tidemark-project/tidemark/clients/agent"
)

// Every function of the package and every method of its agent has an Example that runs.
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

	shown := make(map[string]bool)

	for _, example := range doc.Examples(tests...) {
		require.True(t, example.Output != "" || example.EmptyOutput, "Example%s has no output, so it does not run", example.Name)

		shown[example.Name] = true
	}

	for method := range reflect.TypeFor[*agent.Agent]().Methods() {
		require.True(t, shown["Agent_"+method.Name], "there is no ExampleAgent_%s", method.Name)
	}

	described, err := doc.NewFromFiles(files, sources, "agent")
	require.NoError(t, err)

	functions := described.Funcs
	for _, kind := range described.Types {
		functions = append(functions, kind.Funcs...)
	}

	require.NotEmpty(t, functions)

	for _, function := range functions {
		require.True(t, shown[function.Name], "there is no Example%s", function.Name)
	}
}
