package demo

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// childRole makes this test binary a child that behaves as its value says.
const childRole = "TIDEMARK_TEST_CHILD"

func playChild(role string) {
	fmt.Fprintln(os.Stderr, "first line\nlast line")

	if role == "dies" {
		os.Exit(7)
	}

	terminated := make(chan os.Signal, 1)
	signal.Notify(terminated, syscall.SIGTERM)
	<-terminated
}
