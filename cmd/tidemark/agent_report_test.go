package main

import (
	"context"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/tidemark-project/tidemark/clients/agent"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/server"
)

// serving runs a whole server on a port of its own until the test ends, where every service has one core and should have
// two, and returns its address.
func serving(t *testing.T) string {
	t.Helper()

	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "localhost:0")
	require.NoError(t, err)

	config := server.DefaultConfig()
	config.HTTPListen = ""

	complete, err := config.Complete(t.Context(), server.Dependencies{
		Usage: usageOf(func() int64 { return 1000 }), Inventory: twoServices{}, Policies: doubling{}, Listener: listener,
	}, slog.New(slog.DiscardHandler))
	require.NoError(t, err)

	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)

	go func() { done <- complete.Run(ctx) }()

	t.Cleanup(func() {
		stop()
		require.NoError(t, <-done)
	})

	return listener.Addr().String()
}

// ran runs a command line against the server at an address and returns what it prints.
func ran(t *testing.T, address string, args ...string) string {
	t.Helper()

	var flags clientCLI

	parser, err := kong.New(&flags)
	require.NoError(t, err)

	parsed, err := parser.Parse(append(args, "--server="+address))
	require.NoError(t, err)

	out := &lines{}

	parsed.BindTo(t.Context(), (*context.Context)(nil))
	parsed.BindTo(out, (*io.Writer)(nil))
	parsed.Bind(slog.New(slog.DiscardHandler))
	require.NoError(t, parsed.Run())

	return out.taken()
}

// scalingShown is the line of "get" that tells of the last report.
func scalingShown(t *testing.T, address, service string) string {
	t.Helper()

	for line := range strings.Lines(ran(t, address, "get", service)) {
		if after, found := strings.CutPrefix(strings.TrimSpace(line), "scaling "); found {
			return strings.TrimSpace(after)
		}
	}

	return ""
}

// A program that refuses is heard of, with what it said; enqueued by hand the service comes again, and what is applied then
// is heard of, too. Server, agent, connection and program are real.
func TestWhatAProgramDidIsReported(t *testing.T) {
	t.Parallel()

	const service = "prod/a"

	address, dir := serving(t), t.TempDir()
	script := `echo "$TIDEMARK_SERVICE $TIDEMARK_REVISION $TIDEMARK_DIRECTION" >>"$0/runs"
		grep -o '"recommended":{"cpu_millis":"[0-9]*"' >>"$0/runs"
		[ -e "$0/quota" ] || { echo "no quota left" >&2; exit 1; }`

	command := parsedAgent(t, "--server="+address, "--name=resizer-1", "--service="+service, "--", "sh", "-c", script, dir)
	log := &logLines{lines: make(chan string, 1000)}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)

	go func() {
		done <- command.Run(ctx, io.Discard, slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})))
	}()

	log.wait("caught up")
	require.Contains(t, ran(t, address, "enqueue", service), service)

	log.wait("outcome=refused")
	require.Regexp(t, `^revision \d+ refused by resizer-1, \d+s ago: exec: exit status 1: no quota left$`,
		scalingShown(t, address, service))

	require.NoError(t, os.WriteFile(filepath.Join(dir, "quota"), nil, 0o600))
	ran(t, address, "enqueue", service)

	log.wait("outcome=applied")
	require.Regexp(t, `^revision \d+ applied by resizer-1, \d+s ago$`, scalingShown(t, address, service))

	stop()
	require.ErrorIs(t, <-done, context.Canceled)

	runs, err := os.ReadFile(filepath.Join(dir, "runs"))
	require.NoError(t, err)

	run := string(runs[:len(runs)/2])
	require.Regexp(t, `^prod/a \d+ UP\n"recommended":\{"cpu_millis":"2000"\n$`, run)
	require.Equal(t, run+run, string(runs), "twice, and under the same revision")
}

// What is only printed is not reported: nothing was done.
func TestAnAgentThatPrintsDoesNotReport(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server := newServer(t)
		server.Put(orders())

		following(t, server, []string{"agent", "--snapshot=all", "--name=resizer-1"}, func(out *lines) {
			require.NotEmpty(t, out.taken())
		})
		require.Empty(t, server.Reports())
	})
}

// What the server will never take is told from what it may take later.
func TestWhichReportsAreBroughtAgain(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server := newServer(t)
		server.Put(orders())

		client := server.Dial()
		t.Cleanup(func() { require.NoError(t, client.Close()) })

		reporter, err := parsedAgent(t, "--name=resizer-1", "--", "true").reporter(client)
		require.NoError(t, err)

		report := agent.Report{
			Service: "prod/orders-db", Revision: 1, Message: "quota", Allocation: &tidemarkv1.Size{CpuMillis: 1200},
			Outcome: tidemarkv1.ScalingOutcome_SCALING_OUTCOME_FAILED,
		}
		require.NoError(t, reporter.ReportScaling(t.Context(), report))

		got := server.Reports()[0]
		require.Equal(t, "resizer-1", got.GetAgent())
		require.Equal(t, report.Message, got.GetMessage())
		require.Equal(t, report.Outcome, got.GetOutcome())
		require.EqualValues(t, 1200, got.GetAllocation().GetCpuMillis())
		require.False(t, got.GetResend())

		never := reflect.TypeOf(agent.Permanent(nil))
		nothing := reflect.TypeOf(agent.RefusesReports(nil))
		kinds := map[codes.Code]reflect.Type{
			codes.InvalidArgument: never, codes.NotFound: never, codes.FailedPrecondition: never,
			codes.PermissionDenied: nothing, codes.Unimplemented: nothing,
		}

		for code := codes.Canceled; code <= codes.Unauthenticated; code++ {
			server.FailWith(func(string) error { return status.Error(code, "no") })

			err := reporter.ReportScaling(t.Context(), report)
			require.Equal(t, code, status.Code(err))

			for _, kind := range []reflect.Type{never, nothing} {
				require.Equal(t, kinds[code] == kind, reflect.TypeOf(err) == kind, code)
			}
		}
	})
}

func TestTheNameOfAnAgent(t *testing.T) {
	t.Parallel()

	host, err := os.Hostname()
	require.NoError(t, err)

	reporter, err := parsedAgent(t, "--", "true").reporter(nil)
	require.NoError(t, err)
	require.Equal(t, host, reporter.name)

	for _, wrong := range []string{strings.Repeat("ö", 254), "\xff"} {
		_, err = (&agentCmd{Name: wrong}).reporter(nil)
		require.ErrorContains(t, err, "--name: ")
	}
}
