package main

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/clients/agent"
	"github.com/tidemark-project/tidemark/clients/tidemark"
	"github.com/tidemark-project/tidemark/clients/tidemark/tidemarktest"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// parsedAgent returns what the command line says.
func parsedAgent(t *testing.T, args ...string) *agentCmd {
	t.Helper()

	var command agentCmd

	parser, err := kong.New(&command, kong.Exit(func(int) {}), kong.Writers(io.Discard, io.Discard))
	require.NoError(t, err)

	_, err = parser.Parse(args)
	require.NoError(t, err)

	return &command
}

func TestAgentSafetyFlags(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()

	acting, err := parsedAgent(t, "--", "true").config(io.Discard)
	require.NoError(t, err)
	require.Equal(t, agent.DefaultMaxChangesPerMinute, acting.MaxChangesPerMinute)
	require.Equal(t, agent.DefaultMaxDataAge, acting.MaxDataAge)
	require.Equal(t, agent.SnapshotOutstanding, acting.Snapshot)
	require.False(t, acting.ObserveOnly)
	require.Zero(t, acting.Disruption)

	acting, err = parsedAgent(t, "--webhook=http://hook.test", "--max-changes-per-minute=5", "--max-data-age=3m",
		"--disruption=rolling", "--stop-file="+dir+"/stop").config(io.Discard)
	require.NoError(t, err)
	require.Equal(t, 5, acting.MaxChangesPerMinute)
	require.Equal(t, 3*time.Minute, acting.MaxDataAge)
	require.Equal(t, tidemarkv1.DisruptionClass_DISRUPTION_CLASS_ROLLING, acting.Disruption)
	require.Equal(t, dir+"/stop", acting.StopFile)

	acting, err = parsedAgent(t, "--max-changes-per-minute=0", "--max-data-age=0", "--", "true").config(io.Discard)
	require.NoError(t, err)
	require.Negative(t, acting.MaxChangesPerMinute)
	require.Negative(t, acting.MaxDataAge)

	// What is printed is printed, however much and however old.
	printing, err := parsedAgent(t).config(io.Discard)
	require.NoError(t, err)
	require.Negative(t, printing.MaxChangesPerMinute)
	require.Negative(t, printing.MaxDataAge)
	require.True(t, printing.ObserveOnly)
}

func TestAgentFlagsThatAreWrong(t *testing.T) {
	t.Parallel()

	short := filepath.Join(t.TempDir(), "short")
	require.NoError(t, os.WriteFile(short, []byte("x"), 0o600))

	for want, args := range map[string][]string{
		"exclude each other":                                 {"--webhook=http://hook.test", "--", "true"},
		"executable file not found":                          {"--", "tidemark-no-such-program"},
		"--max-changes-per-minute: -1 is negative":           {"--max-changes-per-minute=-1", "--", "true"},
		"--max-data-age: -1s is negative":                    {"--max-data-age=-1s", "--", "true"},
		"read a webhook's secret":                            {"--webhook=http://hook.test", "--webhook-secret-file=" + short + "-no"},
		short + " holds 1 bytes, at least 16":                {"--webhook=http://hook.test", "--webhook-secret-file=" + short},
		`--webhook-header: "x" is not of the form`:           {"--webhook=http://hook.test", "--webhook-header=x"},
		`--mode: there is no "enforced"`:                     {"--mode=enforced", "--", "true"},
		"a webhook needs an absolute URL":                    {"--webhook=x", "--webhook-secret-file=" + short},
		"--webhook-secret-file needs --webhook":              {"--webhook-secret-file=" + short, "--", "true"},
		"--json is for printing, and the agent is to act by": {"--json", "--", "true"},
	} {
		_, err := parsedAgent(t, args...).config(io.Discard)
		require.ErrorContains(t, err, want)
	}
}

// startAgent runs a command line against a server in the process, until the returned function is called.
func startAgent(t *testing.T, server *tidemarktest.Server, logTo io.Writer, args ...string) (stop func()) {
	t.Helper()

	command := parsedAgent(t, append([]string{"--server=" + server.Target()}, args...)...)
	command.Server.options = []tidemark.Option{server.DialOption()}

	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)

	logger := slog.New(slog.NewTextHandler(logTo, &slog.HandlerOptions{Level: slog.LevelDebug}))

	go func() { done <- command.Run(ctx, io.Discard, logger) }()

	return func() {
		cancel()
		require.ErrorIs(t, <-done, context.Canceled)
	}
}

// pipe returns a named pipe, and a function that waits for what the next program writes to it.
func pipe(t *testing.T) (path string, next func() string) {
	t.Helper()

	path = filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(path, 0o600))

	return path, func() string {
		written, err := os.ReadFile(path) // waits for a writer, and then for its end
		require.NoError(t, err)

		return string(written)
	}
}

func TestAgentRunsAProgram(t *testing.T) {
	t.Parallel()

	server := newServer(t)
	server.Put(orders())

	path, next := pipe(t)
	stop := startAgent(t, server, io.Discard, "--max-data-age=0",
		"--", "sh", "-c", `(echo "$1 $TIDEMARK_SERVICE $TIDEMARK_DIRECTION"; cat) >"$0"`, path, "--fast")

	line, input, found := strings.Cut(next(), "\n")
	require.True(t, found)
	require.Equal(t, "--fast prod/orders-db UP", line)
	require.Contains(t, input, `{"service":"prod/orders-db","revision":"1",`)

	stop()
}

// TestHangupPausesTheAgent sends a real signal, which would end the test if nobody waited for it: so the test does, too.
func TestHangupPausesTheAgent(t *testing.T) {
	held := make(chan os.Signal, 1)
	signal.Notify(held, syscall.SIGHUP)
	t.Cleanup(func() { signal.Stop(held) })

	posts := make(chan string, 100)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil && agent.VerifySignature([]byte("sixteen bytes or more"), r.Header, body, time.Now(), time.Minute) == nil {
			posts <- r.Header.Get("Idempotency-Key")
		}
	}))
	t.Cleanup(receiver.Close)

	secret := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(secret, []byte("sixteen bytes or more\n"), 0o600))

	server := newServer(t)
	log := &logLines{lines: make(chan string, 1000)}
	stop := startAgent(t, server, log, "--webhook="+receiver.URL, "--webhook-secret-file="+secret, "--max-data-age=0",
		"--snapshot=all")

	put := func(cpuMillis int64) {
		changed := orders()
		changed.Recommended.CpuMillis = cpuMillis
		server.Put(changed)
	}

	put(1500)
	require.Equal(t, "prod/orders-db@1", <-posts)

	log.wait("SIGHUP pauses this agent")
	require.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGHUP))
	log.wait("PAUSED: nothing is acted on")
	put(2000)
	log.wait("not acting on a recommendation yet")
	put(3000)
	log.wait("not acting on a recommendation yet")
	require.Empty(t, posts)

	require.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGHUP))
	log.wait("RESUMED: acting again")
	require.Equal(t, "prod/orders-db@3", <-posts, "the newest, and only that")
	log.wait("revision=3 outcome=applied")

	stop()
	require.Empty(t, posts)

	reports := server.Reports()
	require.Equal(t, tidemarkv1.ScalingOutcome_SCALING_OUTCOME_APPLIED, reports[len(reports)-1].GetOutcome())
}

// logLines is a log that a test waits for.
type logLines struct{ lines chan string }

// Write takes one line, as slog's handlers write them.
func (l *logLines) Write(p []byte) (int, error) {
	l.lines <- string(bytes.TrimSpace(p))

	return len(p), nil
}

// wait waits for a line that contains the text.
func (l *logLines) wait(want string) {
	for line := range l.lines {
		if strings.Contains(line, want) {
			return
		}
	}
}
