//go:build linux

package demo

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/internal/demo/process"
	"github.com/tidemark-project/tidemark/internal/demo/screen"
)

// patience is how long a test waits for what should take milliseconds.
const patience = 30 * time.Second

func TestProcessThatKeepsDying(t *testing.T) {
	t.Parallel()

	var shown buffer

	config := working()
	p := newProcesses(&config, screen.New(&shown))
	log := filepath.Join(t.TempDir(), "x.log")

	require.NoError(t, p.failing())
	require.NoError(t, p.start(process.Spec{
		Name: "x", Path: os.Args[0], Env: []string{ChildRole + "=dies"}, LogFile: log,
	}))
	require.Eventually(t, func() bool { return p.failing() != nil }, patience, time.Millisecond)

	p.supervisor.Stop()

	err := p.failing()
	require.ErrorAs(t, err, new(hopelessError))
	require.ErrorContains(t, err, "last with: exit status 7")
	require.Contains(t, shown.String(), "✖ x died")
	require.Contains(t, shown.String(), "exit status 7); it is started again in 1ms")
	require.Contains(t, logTails(filepath.Dir(log)), "last line")

	p.forgive()
	require.NoError(t, p.failing())
}

func TestProcessNumbers(t *testing.T) {
	t.Parallel()

	var shown buffer

	config := working()
	p := newProcesses(&config, screen.New(&shown))

	require.NoError(t, p.start(process.Spec{
		Name: "x", Path: os.Args[0], Env: []string{ChildRole + "=lives"}, LogFile: filepath.Join(t.TempDir(), "x.log"),
	}))
	require.Eventually(t, func() bool { return p.pid("x") > 0 }, patience, time.Millisecond)
	require.Zero(t, p.pid("y"))

	p.supervisor.Stop()
	require.Error(t, p.start(process.Spec{Name: "late"}))
}

func TestLogTails(t *testing.T) {
	t.Parallel()

	directory := t.TempDir()
	write := func(name, content string) {
		require.NoError(t, os.WriteFile(filepath.Join(directory, name), []byte(content), 0o600))
	}

	write("b.log", strings.Repeat("old\n", 10_000)+"1\n2\n3\n4\n5\n6\n7\n8\n")
	write("a.log", "only\n")
	write("empty.log", "")
	write("c.txt", "no log")

	require.Equal(t,
		"\n--- the end of "+filepath.Join(directory, "a.log")+"\nonly"+
			"\n--- the end of "+filepath.Join(directory, "b.log")+"\n1\n2\n3\n4\n5\n6\n7\n8",
		logTails(directory))
	require.Empty(t, logTails(filepath.Join(directory, "absent")))
}

// buffer is a bytes.Buffer for several goroutines.
type buffer struct {
	mu  sync.Mutex
	all bytes.Buffer
}

// Write implements io.Writer.
func (b *buffer) Write(data []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()

	return b.all.Write(data)
}

// String returns everything so far.
func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()

	return b.all.String()
}
