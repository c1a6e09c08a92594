package agent

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == actAs {
		os.Exit(program(os.Args[2], os.Args[3:]))
	}

	// A program under the race detector would sleep for a second before it ends.
	if err := os.Setenv("GORACE", os.Getenv("GORACE")+" atexit_sleep_ms=0"); err != nil {
		panic(err)
	}

	goleak.VerifyTestMain(m)
}
