//go:build linux

package demo_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/internal/demo"
)

const (
	// patience is how long a test waits for what should take seconds.
	patience = 2 * time.Minute
	// recordings is where recorded usage lies, outside the repository.
	recordings = "../../../shared/traces"
)

func TestOnce(t *testing.T) {
	requireEngine(t)

	result, output := once(t, "--fleet", "40", "--poll-interval", "1s")
	require.Equal(t, 40, result.Services, output)
	require.EqualValues(t, 1000, result.PollIntervalMillis)
	require.Positive(t, result.SeedRows)
}

func TestOnceWithRecordedUsage(t *testing.T) {
	requireEngine(t)

	usage := filepath.Join(recordings, "google2011-jobs.csv.gz")
	if _, err := os.Stat(usage); err != nil {
		t.Skip(err)
	}

	result, output := once(t, "--usage", usage, "--services", filepath.Join(recordings, "google2011-jobs.services.csv"))
	require.Greater(t, result.Services, 100, output)
	require.True(t, strings.HasPrefix(result.Service, "replay/gj-"), output)
}

// once runs the demonstration without a screen and checks what any such run must show.
func once(t *testing.T, args ...string) (demo.Result, string) {
	t.Helper()

	var out, errOut bytes.Buffer

	command, _ := program(t, append([]string{"demo", "--once", "--json"}, args...)...)
	command.Stdout, command.Stderr = &out, &errOut
	require.NoError(t, command.Run(), errOut.String())

	lines := strings.Split(strings.TrimSpace(out.String()), "\n")

	var result demo.Result

	require.NoError(t, json.Unmarshal([]byte(lines[len(lines)-1]), &result), out.String())

	t.Logf("%+v", result)
	require.Positive(t, result.SignalToAgentMillis)
	require.Greater(t, result.To.MemoryBytes, result.From.MemoryBytes)
	require.Equal(t, result.From.Replicas, result.To.Replicas)
	require.Contains(t, result.Reasons, "MEMORY_REJECTED")
	require.LessOrEqual(t, result.Stages.Enqueued, result.Stages.Evaluated)
	require.LessOrEqual(t, result.Stages.Evaluated, result.SignalToAgentMillis)
	require.NotEmpty(t, result.Engine)

	// A machine that runs other tests at the same time is no place to hold the demonstration to half a second.
	require.Less(t, result.SignalToAgentMillis, result.PollIntervalMillis+10_000)

	return result, out.String() + errOut.String()
}

// TestNoOrphans stops a demonstration in both ways while all its processes run.
func TestNoOrphans(t *testing.T) {
	requireEngine(t)

	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGKILL} {
		t.Run(sig.String(), func(t *testing.T) {
			command, directory := program(t, "demo", "--fleet", "10")
			output, err := command.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, command.Start())

			children := awaitChildren(t, output)
			require.NoError(t, command.Process.Signal(sig))

			rest, err := io.ReadAll(output)
			require.NoError(t, err)

			err = command.Wait()

			if sig == syscall.SIGINT {
				require.NoError(t, err)
				requireOrder(t, string(rest))
				requireEmpty(t, directory)
			} else {
				require.Error(t, err)
			}

			for name, pid := range children {
				require.Eventually(t, func() bool { return !alive(pid) }, patience, 10*time.Millisecond, name)
			}
		})
	}
}

// awaitChildren returns the processes once all have been started.
func awaitChildren(t *testing.T, output io.Reader) map[string]int {
	t.Helper()

	started := regexp.MustCompile(`● (\S+) is started, as process (\d+)`)
	children := map[string]int{}

	for scanner := bufio.NewScanner(output); len(children) < 5; {
		require.True(t, scanner.Scan(), "it ended before all processes were started")

		if match := started.FindStringSubmatch(scanner.Text()); match != nil {
			pid, err := strconv.Atoi(match[2])
			require.NoError(t, err)
			require.True(t, alive(pid))

			children[match[1]] = pid
		}
	}

	return children
}

// requireOrder holds the end to the order: agent, sources, server, engine.
func requireOrder(t *testing.T, output string) {
	t.Helper()

	last := -1

	for _, name := range []string{"agent", "source-clickhouse", "source-cron", "server", "clickhouse"} {
		at := strings.Index(output, "○ "+name+" has stopped")
		require.Greater(t, at, last, "%s in:\n%s", name, output)
		last = at
	}
}

// requireEmpty holds that the demonstration has removed what it wrote.
func requireEmpty(t *testing.T, directory string) {
	t.Helper()

	left, err := filepath.Glob(filepath.Join(directory, "*"))
	require.NoError(t, err)
	require.Empty(t, left)
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

// TestBorrowedClickHouse leaves a ClickHouse that runs already as it was.
func TestBorrowedClickHouse(t *testing.T) {
	requireEngine(t)

	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)

	addr := listener.Addr().String()
	require.NoError(t, listener.Close())

	engine, _ := program(t, "clickhouse", "--listen", addr, "--data", t.TempDir())
	require.NoError(t, engine.Start())

	conn, err := clickhouse.Open(&clickhouse.Options{Addr: []string{addr}})
	require.NoError(t, err)
	require.Eventually(t, func() bool { return conn.Ping(t.Context()) == nil }, patience, 100*time.Millisecond)

	result, _ := once(t, "--fleet", "10", "--clickhouse-addr", addr)
	require.Equal(t, 10, result.Services)

	var databases uint64

	require.NoError(t, conn.QueryRow(t.Context(),
		"SELECT count() FROM system.databases WHERE name LIKE '%tidemark%'").Scan(&databases))
	require.Zero(t, databases)

	require.NoError(t, conn.Close())
	require.NoError(t, engine.Process.Signal(syscall.SIGTERM))
	require.NoError(t, engine.Wait())
}

func TestFailureTellsWhy(t *testing.T) {
	var errOut bytes.Buffer

	command, _ := program(t, "demo", "--once", "--fleet", "10", "--clickhouse-addr", "127.0.0.1:1", "--timeout", "1s")
	command.Stderr = &errOut

	require.Error(t, command.Run())
	require.Contains(t, errOut.String(), "wait until ClickHouse answers")
	require.Contains(t, errOut.String(), "connection refused")
}

func TestWrongFlags(t *testing.T) {
	var errOut bytes.Buffer

	command, _ := program(t, "demo", "--json")
	command.Stderr = &errOut

	require.Error(t, command.Run())
	require.Contains(t, errOut.String(), "--json: has no effect without --once")
}
