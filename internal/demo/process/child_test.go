//go:build linux

package process_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/internal/demo/process"
)

// patience is how long a test waits for what should take milliseconds.
const patience = 30 * time.Second

func TestRealProcess(t *testing.T) {
	t.Parallel()

	lines, events := make(chan string, 10), make(chan process.Event, 10)
	s := process.New(process.Config{Grace: patience, OnEvent: func(e process.Event) { events <- e }})

	defer s.Stop()

	require.NoError(t, s.Start(spec("a", "obedient", logFile(t), func(line []byte) { lines <- string(line) })))

	started := receive(t, events)
	require.Equal(t, process.Started, started.Kind)
	require.False(t, started.Again)
	require.Equal(t, "ready", receive(t, lines))

	require.NoError(t, syscall.Kill(started.PID, syscall.SIGKILL))
	require.Equal(t, process.Died, receive(t, events).Kind)

	again := receive(t, events)
	require.Equal(t, process.Started, again.Kind)
	require.True(t, again.Again)
	require.NotEqual(t, started.PID, again.PID)
	require.Equal(t, "ready", receive(t, lines))

	s.Stop()
	require.Equal(t, process.Event{Name: "a", Kind: process.Stopped, PID: again.PID}, receive(t, events))
	require.Equal(t, "bye", receive(t, lines))
	require.False(t, alive(again.PID))
}

func TestStubbornRealProcess(t *testing.T) {
	t.Parallel()

	lines, events := make(chan string, 1), make(chan process.Event, 10)
	s := process.New(process.Config{Grace: time.Millisecond, OnEvent: func(e process.Event) { events <- e }})

	require.NoError(t, s.Start(spec("a", "stubborn", logFile(t), func(line []byte) { lines <- string(line) })))
	require.Equal(t, "ready", receive(t, lines))

	s.Stop()
	require.Equal(t, process.Started, receive(t, events).Kind)
	require.Equal(t, process.Killed, receive(t, events).Kind)
}

func TestLogAndExitCode(t *testing.T) {
	t.Parallel()

	path, events := logFile(t), make(chan process.Event, 10)
	s := process.New(process.Config{RestartDelay: patience, OnEvent: func(e process.Event) { events <- e }})

	require.NoError(t, s.Start(spec("a", "failing", path, nil)))
	require.Equal(t, process.Started, receive(t, events).Kind)

	died := receive(t, events)
	require.Equal(t, process.Died, died.Kind)
	require.ErrorContains(t, died.Err, "exit status 3")

	s.Stop()

	content, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "failing on purpose\n", string(content))
}

func TestProgramThatIsNotThere(t *testing.T) {
	t.Parallel()

	events := make(chan process.Event, 10)
	s := process.New(process.Config{RestartDelay: patience, OnEvent: func(e process.Event) { events <- e }})

	require.NoError(t, s.Start(process.Spec{Name: "a", Path: "/does/not/exist", LogFile: logFile(t)}))

	died := receive(t, events)
	require.Equal(t, process.Died, died.Kind)
	require.ErrorIs(t, died.Err, os.ErrNotExist)
	s.Stop()
}

// TestNoOrphans ends a parent in both ways and looks for its child.
func TestNoOrphans(t *testing.T) {
	t.Parallel()

	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGKILL} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()

			command := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^$")
			command.Env = append(os.Environ(), role+"=parent", "TMPDIR="+t.TempDir())
			output, err := command.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, command.Start())

			scanner := bufio.NewScanner(output)
			require.True(t, scanner.Scan())

			var child int

			_, err = fmt.Sscanf(scanner.Text(), "started %d", &child)
			require.NoError(t, err)
			require.True(t, alive(child))

			require.NoError(t, command.Process.Signal(sig))

			for scanner.Scan() {
			}

			_ = command.Wait()

			require.Eventually(t, func() bool { return !alive(child) }, patience, 10*time.Millisecond)
		})
	}
}

func TestLineWriter(t *testing.T) {
	t.Parallel()

	var lines []string

	w := process.NewLineWriter(func(line []byte) { lines = append(lines, string(line)) })

	for _, part := range []string{"one\ntw", "o", "\n\nthree", "", "\n", strings.Repeat("x", 1<<20), "y\n"} {
		n, err := w.Write([]byte(part))
		require.NoError(t, err)
		require.Equal(t, len(part), n)
	}

	require.Equal(t, []string{"one", "two", "", "three", strings.Repeat("x", 1<<20), "y"}, lines)
}

func logFile(t *testing.T) string {
	t.Helper()

	return filepath.Join(t.TempDir(), "process.log")
}

func receive[T any](t *testing.T, from <-chan T) T {
	t.Helper()

	select {
	case value := <-from:
		return value
	case <-time.After(patience):
		require.Fail(t, "nothing came")
		panic("unreachable")
	}
}

// alive reports that the process exists and is not only waiting to be reaped.
func alive(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}

	_, rest, _ := strings.Cut(string(stat), ") ")

	return !strings.HasPrefix(rest, "Z")
}
