package main

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// interrupted makes this test program a process that takes for ever to stop.
const interrupted = "TIDEMARK_TEST_INTERRUPTED"

// TestInterruptedProcess is the process of TestInterruptedTwice.
func TestInterruptedProcess(t *testing.T) {
	if os.Getenv(interrupted) == "" {
		t.Skip("runs within another test")
	}

	ctx, stop := interruptible(t.Context())
	defer stop()

	require.NoError(t, printLine(os.Stdout, "running"))
	<-ctx.Done()
	require.NoError(t, printLine(os.Stdout, "stopping"))
	<-t.Context().Done()
}

// Who asks a process to stop lets it finish, and who asks again does not.
func TestInterruptedTwice(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)

	command := exec.Command(self, "-test.run=^TestInterruptedProcess$")
	command.Env = append(os.Environ(), interrupted+"=1")

	out, err := command.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())

	lines := bufio.NewScanner(out)
	require.True(t, lines.Scan())
	require.Equal(t, "running", lines.Text())

	require.NoError(t, command.Process.Signal(syscall.SIGTERM))
	require.True(t, lines.Scan(), "it ended at the first time")
	require.Equal(t, "stopping", lines.Text())

	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()

	const patience, pause = time.Minute, 10 * time.Millisecond

	// It may take it a moment until it is ready for the second.
	require.Eventually(t, func() bool {
		return errors.Is(command.Process.Signal(syscall.SIGTERM), os.ErrProcessDone)
	}, patience, pause)

	var exit *exec.ExitError

	require.ErrorAs(t, <-ended, &exit)

	status, is := exit.Sys().(syscall.WaitStatus)
	require.True(t, is)
	require.Equal(t, syscall.SIGTERM, status.Signal())
}
