package main

import (
	"context"
	"io"
	"log/slog"
	"testing"
	"testing/synctest"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/tidemark-project/tidemark/clients/tidemark"
	"github.com/tidemark-project/tidemark/clients/tidemark/tidemarktest"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// runScaling runs "tidemark report" or "tidemark delete" against a server in the process and returns what it prints.
func runScaling(ctx context.Context, server *tidemarktest.Server, args ...string) (string, error) {
	var flags struct {
		Report reportCmd `cmd:""`
		Delete deleteCmd `cmd:""`
	}

	to := []tidemark.Option{server.DialOption()}
	flags.Report.Server.options, flags.Delete.Server.options = to, to

	parser, err := kong.New(&flags)
	if err != nil {
		return "", err
	}

	parsed, err := parser.Parse(append(args, "--server", server.Target()))
	if err != nil {
		return "", err
	}

	out := &lines{}

	parsed.BindTo(ctx, (*context.Context)(nil))
	parsed.BindTo(out, (*io.Writer)(nil))
	parsed.Bind(slog.New(slog.DiscardHandler))

	err = parsed.Run()

	return out.taken(), err
}

func TestReport(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server := newServer(t)
		server.Put(orders())
		server.Put(orders())

		said, err := runScaling(t.Context(), server, "report", "prod/orders-db", "--revision=2", "--outcome=refused",
			"--message=freeze until Monday", "--agent=ana", "--resend")
		require.NoError(t, err)
		require.Equal(t, "prod/orders-db  revision 2 refused\n", said)
		require.Contains(t, printedBy(t, server, "get", "prod/orders-db"),
			"scaling      revision 2 refused by ana, 0s ago: freeze until Monday\n")
		require.EqualValues(t, 3, server.Revision(), "it was sent again")

		said, err = runScaling(t.Context(), server, "report", "prod/orders-db", "--revision=1", "--outcome=applied")
		require.NoError(t, err)
		require.Equal(t, "prod/orders-db  revision 1 applied; it is outdated, the current revision is 2\n", said)
		require.NotEmpty(t, server.Reports()[1].GetAgent(), "who is logged in")

		said, err = runScaling(t.Context(), server, "report", "prod/orders-db", "--revision=2", "--outcome=deferred", "--json")
		require.NoError(t, err)
		require.JSONEq(t, `{"revision":"2"}`, said)
	})
}

func TestWrongReports(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server := newServer(t)
		server.Put(orders())

		for want, args := range map[string][]string{
			"--revision=N":               {"prod/orders-db", "--outcome=applied"},
			"--outcome=STRING":           {"prod/orders-db", "--revision=1"},
			"--outcome must be one of":   {"prod/orders-db", "--revision=1", "--outcome=done"},
			"(REVISION_UNKNOWN)":         {"prod/orders-db", "--revision=2", "--outcome=applied"},
			"(RECOMMENDATION_NOT_FOUND)": {"prod/none", "--revision=2", "--outcome=applied"},
		} {
			said, err := runScaling(t.Context(), server, append([]string{"report"}, args...)...)
			require.ErrorContains(t, err, want)
			require.Empty(t, said)
		}

		require.Empty(t, server.Reports())
	})
}

// One that is not there does not keep the command from the others; a server that is not there does.
func TestDelete(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server := newServer(t)
		for _, service := range []string{"prod/a", "prod/b", "prod/c"} {
			server.Put(&tidemarkv1.Recommendation{Service: service})
		}

		said, err := runScaling(t.Context(), server, "delete", "prod/a", "prod/none", "prod/b")
		require.EqualError(t, err, "nothing is known of service prod/none (SERVICE_NOT_FOUND)")
		require.Equal(t, "prod/a  deleted, revision 4\nprod/b  deleted, revision 5\n", said)
		require.Len(t, server.Recommendations(), 1)

		calls := 0

		server.FailWith(func(string) error {
			calls++

			return status.Error(codes.PermissionDenied, "not you")
		})

		_, err = runScaling(t.Context(), server, "delete", "prod/c", "prod/d")
		require.EqualError(t, err, "passthrough:///tidemarktest answered: not you (PermissionDenied)")
		require.Equal(t, 1, calls)

		server.FailWith(nil)

		said, err = runScaling(t.Context(), server, "delete", "prod/c", "--json")
		require.NoError(t, err)
		require.JSONEq(t, `{"service":"prod/c","revision":"6"}`, said)
	})
}
