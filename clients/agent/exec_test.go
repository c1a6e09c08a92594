package agent

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protojson"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// runs returns an actuator that runs the command.
func runs(t *testing.T, config ExecConfig) *Exec {
	t.Helper()

	actuator, err := NewExec(config)
	require.NoError(t, err)

	return actuator
}

func TestWhatAnExitStatusMeans(t *testing.T) {
	t.Parallel()

	for status, again := range map[int]bool{1: false, 2: false, 74: false, 75: true, 76: false, 255: false} {
		err := runs(t, ExecConfig{Command: command(t, "exit", strconv.Itoa(status), "no", "room")}).
			Apply(t.Context(), advice("a/x", 1, 2))
		require.EqualError(t, err, "exec: exit status "+strconv.Itoa(status)+": no room")
		require.Equal(t, !again, permanent(err), status)
	}

	require.NoError(t, runs(t, ExecConfig{Command: command(t, "exit", "0", "warning")}).Apply(t.Context(), advice("a/x", 1, 2)))
}

func TestAProgramThatIsKilledByOthersIsRunAgain(t *testing.T) {
	t.Parallel()

	err := runs(t, ExecConfig{Command: command(t, "die")}).Apply(t.Context(), advice("a/x", 1, 2))
	require.EqualError(t, err, "exec: signal: killed")
	require.False(t, permanent(err))
}

func TestAProgramNeedNotReadItsInput(t *testing.T) {
	t.Parallel()

	long := advice("a/x", 1, 2)
	long.Failure = &tidemarkv1.Failure{Message: strings.Repeat("x", 1<<20)}
	require.NoError(t, runs(t, ExecConfig{Command: command(t, "exit", "0")}).Apply(t.Context(), long))
}

func TestTheOutputOfAProgramIsBounded(t *testing.T) {
	t.Parallel()

	err := runs(t, ExecConfig{Command: command(t, "flood")}).Apply(t.Context(), advice("a/x", 1, 2))
	require.ErrorContains(t, err, "exec: exit status 1: €")
	require.True(t, strings.HasSuffix(err.Error(), "€\uFFFD\nthe end"))
	require.True(t, utf8.ValidString(err.Error()))
	require.Less(t, len(err.Error()), maxMessage)
}

func TestAProgramMustBeThere(t *testing.T) {
	t.Parallel()

	for _, config := range []ExecConfig{{}, {Command: []string{""}}} {
		_, err := NewExec(config)
		require.ErrorIs(t, err, errNoCommand)
	}

	_, err := NewExec(ExecConfig{Command: []string{"tidemark-no-such-program"}})
	require.ErrorContains(t, err, "not found")

	// It was there when the agent started; perhaps it is being replaced.
	gone := t.TempDir() + "/program"
	require.NoError(t, os.WriteFile(gone, []byte("#!/bin/sh\n"), 0o700))
	actuator := runs(t, ExecConfig{Command: []string{gone}})
	require.NoError(t, os.Remove(gone))

	err = actuator.Apply(t.Context(), advice("a/x", 1, 2))
	require.ErrorContains(t, err, "no such file")
	require.False(t, permanent(err))
}

func TestAProgramThatTakesTooLongIsEnded(t *testing.T) {
	t.Parallel()

	ear := listen(t)
	actuator := runs(t, ExecConfig{
		Command: command(t, "stay", ear.address()), Timeout: 100 * time.Millisecond, Grace: time.Millisecond,
	})

	err := actuator.Apply(t.Context(), advice("a/x", 1, 2))
	require.ErrorContains(t, err, "exec: ended by the agent, as it took longer than 100ms")
	require.False(t, permanent(err))
}

// TestAProgramAndItsChildrenAreKilled has both of them ignore SIGTERM; that both are dead shows in their connections.
func TestAProgramAndItsChildrenAreKilled(t *testing.T) {
	t.Parallel()

	ear := listen(t)
	actuator := runs(t, ExecConfig{Command: command(t, "stay", ear.address()), Grace: 10 * time.Millisecond})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)

	go func() { done <- actuator.Apply(ctx, advice("a/x", 1, 2)) }()

	parent, child := ear.accept(), ear.accept()
	require.Equal(t, "here", parent.says())
	require.Equal(t, "here", child.says())

	cancel()
	require.ErrorIs(t, <-done, context.Canceled)
	require.Empty(t, parent.says())
	require.Empty(t, child.says())
}

func TestAProgramIsAskedToEndFirst(t *testing.T) {
	t.Parallel()

	ear := listen(t)
	actuator := runs(t, ExecConfig{Command: command(t, "polite", ear.address()), Grace: longest})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)

	go func() { done <- actuator.Apply(ctx, advice("a/x", 1, 2)) }()

	program := ear.accept()
	require.Equal(t, "here", program.says())

	cancel()
	require.Equal(t, "bye", program.says())
	require.ErrorIs(t, <-done, context.Canceled, "its status was 0, which says nothing about the recommendation")
}

func TestWhatAProgramLeavesBehindIsKilled(t *testing.T) {
	t.Parallel()

	ear := listen(t)
	done := make(chan error, 1)
	actuator := runs(t, ExecConfig{Command: command(t, "leave", ear.address()), Grace: longest})

	go func() { done <- actuator.Apply(t.Context(), advice("a/x", 1, 2)) }()

	child := ear.accept()
	require.Equal(t, "here", child.says())
	require.NoError(t, <-done)
	require.Empty(t, child.says())
}

// TestTheProgramEndToEnd goes from a change on the server to a real program, which is out of order first.
func TestTheProgramEndToEnd(t *testing.T) {
	t.Parallel()

	ear := listen(t)
	server, client := connected(t)
	reported := make(chan Report, 10)

	r := advice("prod/orders-db", 1, 2)
	r.Disruption = tidemarkv1.DisruptionClass_DISRUPTION_CLASS_ROLLING
	server.Put(r)

	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	config := Config{
		Watcher: client, Actuator: runs(t, ExecConfig{Command: command(t, "ask", ear.address())}),
		Snapshot: SnapshotOutstanding, MinRetryDelay: time.Millisecond,
		Reporter: reporterFunc(func(report Report) { reported <- report }),
	}

	go func() { done <- New(config, slog.New(slog.DiscardHandler)).Run(ctx) }()

	for _, c := range []struct {
		status  string
		outcome tidemarkv1.ScalingOutcome
	}{
		{"75", tidemarkv1.ScalingOutcome_SCALING_OUTCOME_FAILED},
		{"0", tidemarkv1.ScalingOutcome_SCALING_OUTCOME_APPLIED},
	} {
		program := ear.accept()

		var got heard

		require.NoError(t, json.Unmarshal([]byte(program.says()), &got))

		var input tidemarkv1.Recommendation

		require.NoError(t, protojson.Unmarshal([]byte(got.Input), &input))
		require.EqualValues(t, 2000, input.GetRecommended().GetCpuMillis())
		require.Equal(t, 1, strings.Count(got.Input, "\n"), "one line")
		require.Subset(t, got.Environment, []string{
			"TIDEMARK_SERVICE=prod/orders-db", "TIDEMARK_REVISION=1", "TIDEMARK_MODE=ENFORCE", "TIDEMARK_DIRECTION=UP",
			"TIDEMARK_DISRUPTION=ROLLING", "PATH=" + os.Getenv("PATH"),
		})

		_, err := program.conn.Write([]byte(c.status + "\n"))
		require.NoError(t, err)
		require.Equal(t, c.outcome, (<-reported).Outcome)
	}

	server.Put(advice("prod/orders-db", 1, 3))

	program := ear.accept()
	_, err := program.conn.Write([]byte("1\n"))
	require.NoError(t, err)

	refused := <-reported
	require.Equal(t, tidemarkv1.ScalingOutcome_SCALING_OUTCOME_REFUSED, refused.Outcome)
	require.EqualValues(t, 2, refused.Revision)
	require.Equal(t, "exec: exit status 1", refused.Message)

	cancel()
	require.ErrorIs(t, <-done, context.Canceled)
}

// reporterFunc makes a reporter of a function.
type reporterFunc func(Report)

func (f reporterFunc) ReportScaling(_ context.Context, report Report) error {
	f(report)

	return nil
}
