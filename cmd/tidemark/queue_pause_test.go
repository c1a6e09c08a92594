package main

import (
	"os/user"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"

	"github.com/tidemark-project/tidemark/clients/tidemark/tidemarktest"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

func TestQueuePauseAndResume(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server := newServer(t)
		clock := func() string { return time.Now().Format("15:04") } // as it is where the test runs
		began := clock()

		require.Equal(t, "evaluating was not paused\n", queuePrinted(t, server, "resume", "evaluating"))

		paused := "evaluating paused by ana since " + began
		require.Equal(t, paused+" (0s): ClickHouse upgrade; ends in 10m\n",
			queuePrinted(t, server, "pause", "evaluating", "--reason=ClickHouse upgrade", "--for=10m", "--author=ana"))

		<-time.After(2 * time.Minute)
		require.Contains(t, queuePrinted(t, server, "status"), paused+" (2m): ClickHouse upgrade; ends in 8m\n")
		require.Equal(t, "evaluating resumed; it was paused by ana since "+began+" (2m): ClickHouse upgrade\n",
			queuePrinted(t, server, "resume", "evaluating"))
		require.Contains(t, queuePrinted(t, server, "status"), "accepting and evaluating\n")

		require.JSONEq(t, `{"scope":"PAUSE_SCOPE_ACCEPTING","author":"ben","reason":"flood","pause_time":"2000-01-01T00:02:00Z"}`,
			queuePrinted(t, server, "pause", "accepting", "--reason=flood", "--author=ben", "--json"))
		require.Contains(t, queuePrinted(t, server, "status"), "flood; until it is resumed\n")
		require.Contains(t, queuePrinted(t, server, "resume", "accepting", "--json"), `{"pause":{"scope":"PAUSE_SCOPE_ACCEPTING",`)
	})
}

func TestWhoPausesIsWhoIsLoggedIn(t *testing.T) {
	t.Parallel()

	login, err := user.Current()
	require.NoError(t, err)

	synctest.Test(t, func(t *testing.T) {
		require.Contains(t, queuePrinted(t, newServer(t), "pause", "accepting", "--reason=flood"),
			"accepting paused by "+login.Username+" since ")
	})
}

// Whoever is stopped by a pause is told why and by whom, so there is none without.
func TestAPauseSaysWhyAndByWhom(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server := newServer(t)
		server.FailWith(func(method string) error {
			t.Error("the server was asked for", method)

			return nil
		})

		for _, blank := range []string{"   ", "\t", "\u00a0\n"} {
			var line queueLine

			for want, args := range map[string][]string{
				"--reason is blank": {"pause", "accepting", "--reason", blank, "--author=ana"},
				"--author is blank": {"pause", "accepting", "--reason=flood", "--author", blank},
			} {
				require.ErrorContains(t, line.run(t.Context(), server, args...), want, "%q", blank)
			}

			require.EqualError(t, line.run(t.Context(), server, "resume", "accepting", "--author", blank),
				"--author is blank: give the name of whoever orders it, or leave it out for your login name")
		}

		var line queueLine

		require.EqualError(t, line.run(t.Context(), server, "pause", "accepting", "--reason="),
			`--reason is blank: say why in a few words, such as "ClickHouse upgrade"`)
	})
}

func TestAPauseThatIsRefused(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server := newServer(t)
		server.FailWith(func(string) error {
			return tidemarktest.Error(codes.InvalidArgument, tidemarkv1.ErrorReason_ERROR_REASON_INVALID_ARGUMENT, "x",
				&errdetails.BadRequest{FieldViolations: []*errdetails.BadRequest_FieldViolation{
					{Field: "expire_time", Description: "must be a time to come"},
				}})
		})

		for _, args := range [][]string{{"pause", "accepting", "--reason=flood", "--for=1ns"}, {"resume", "accepting"}} {
			var line queueLine

			require.EqualError(t, line.run(t.Context(), server, args...),
				"the server refused the request (INVALID_ARGUMENT)\n  expire_time: must be a time to come")
			require.Empty(t, line.out.taken())
		}
	})
}
