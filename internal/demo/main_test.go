package demo

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	// Children of the demonstration are this binary, too, in tests that need nothing of the product.
	if role := os.Getenv(childRole); role != "" {
		playChild(role)

		return
	}

	goleak.VerifyTestMain(m)
}
