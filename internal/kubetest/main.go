package kubetest

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// Main runs the tests of a package, stops the server that they used, looks for leaked goroutines and exits. It is
// for TestMain, in place of goleak.VerifyTestMain.
func Main(m *testing.M, options ...goleak.Option) {
	code := m.Run()
	if err := Stop(); err != nil {
		fmt.Fprintln(os.Stderr, "kubetest: stop the API server:", err)
		code = max(code, 1)
	}
	if code == 0 {
		if err := goleak.Find(options...); err != nil {
			fmt.Fprintln(os.Stderr, "goleak: Errors on successful test run:", err)
			code = 1
		}
	}
	os.Exit(code)
}

// Stop stops the server of this process, if Start has started one; the next Start starts another. Main calls it; a
// package whose TestMain does more than that calls it when its tests have run.
func Stop() error { return shared.end() }
