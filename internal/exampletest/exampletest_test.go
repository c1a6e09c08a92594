package exampletest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/tidemark-project/tidemark/internal/exampletest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestOf(t *testing.T) {
	t.Parallel()

	directory := t.TempDir()
	for name, content := range map[string]string{
		"a.go": "package a\n\ntype T struct{}\n\nfunc New() T { return T{} }\nfunc Do() {}\nfunc hidden() {}\nfunc (T) Run() {}\n",
		"a_test.go": "package a\n\nfunc ExampleNew() {\n\tNew().Run()\n\t// Output: x\n}\n\n" +
			"func ExampleT_Run_twice() {\n\t// Output:\n}\n\nfunc ExampleDo() {}\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(directory, name), []byte(content), 0o600))
	}

	examples, err := exampletest.Of(directory)
	require.NoError(t, err)
	require.Equal(t, map[string]bool{"New": true, "T_Run": true, "Do": true}, examples.Shown)
	require.Equal(t, map[string]bool{"Run": true}, examples.Called)
	require.Equal(t, []string{"Do"}, examples.Silent)
	require.ElementsMatch(t, []string{"New", "Do"}, examples.Functions)

	_, err = exampletest.Of(t.TempDir())
	require.ErrorContains(t, err, "no exported functions")
}

func ExampleOf() {
	examples, err := exampletest.Of(".")
	fmt.Println(examples.Functions, examples.Shown["Of"], err)
	// Output: [Of] true <nil>
}
