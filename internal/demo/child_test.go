//go:build linux

package demo

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// ChildRole makes this test binary a child that behaves as its value says.
const ChildRole = "TIDEMARK_TEST_CHILD"

// PlayChild is what such a child does.
func PlayChild() {
	fmt.Fprintln(os.Stderr, "first line\nlast line")

	if os.Getenv(ChildRole) == "dies" {
		os.Exit(7)
	}

	terminated := make(chan os.Signal, 1)
	signal.Notify(terminated, syscall.SIGTERM)
	<-terminated
}
