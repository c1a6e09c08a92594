//go:build linux

package process_test

import (
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"

	"go.uber.org/goleak"

	"github.com/tidemark-project/tidemark/internal/demo/process"
)

// role is the variable that makes this test binary one of the processes of the tests.
const role = "TIDEMARK_TEST_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(role) {
	case "":
		goleak.VerifyTestMain(m)
	case "obedient":
		terminated := notify(syscall.SIGTERM)

		say("ready")
		<-terminated
		say("bye")
	case "stubborn":
		signal.Ignore(syscall.SIGTERM)
		say("ready")
		select {}
	case "parent":
		parent()
	default:
		fmt.Fprintln(os.Stderr, "failing on purpose")
		os.Exit(3)
	}
}

// parent keeps one obedient process until it is told to stop, as the demonstration does.
func parent() {
	interrupted := notify(syscall.SIGINT)
	s := process.New(process.Config{OnEvent: func(e process.Event) { say(e.Kind, e.PID) }})

	if err := s.Start(spec("child", "obedient", filepath.Join(os.TempDir(), "child.log"), nil)); err != nil {
		panic(err)
	}

	<-interrupted
	s.Stop()
}

// say tells the test something.
func say(words ...any) { _, _ = fmt.Fprintln(os.Stdout, words...) }

// spec runs this test binary in a role.
func spec(name, as, logFile string, onLine func([]byte)) process.Spec {
	return process.Spec{
		Name: name, Path: os.Args[0], Args: []string{"-test.run=^$"}, Env: []string{role + "=" + as},
		LogFile: logFile, OnLine: onLine,
	}
}

func notify(sig os.Signal) <-chan os.Signal {
	received := make(chan os.Signal, 1)
	signal.Notify(received, sig)

	return received
}
