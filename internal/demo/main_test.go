//go:build linux

package demo_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/tidemark-project/tidemark/internal/demo"
)

func TestMain(m *testing.M) {
	if os.Getenv(demo.ChildRole) != "" {
		demo.PlayChild()

		return
	}

	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		_ = os.RemoveAll(built.directory)

		os.Exit(code)
	}))
}
