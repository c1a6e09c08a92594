package main

import (
	"context"
	"io"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/tidemark-project/tidemark/clients/tidemark"
	"github.com/tidemark-project/tidemark/clients/tidemark/tidemarktest"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// observePrinted returns what "tidemark observe report" prints.
func observePrinted(t *testing.T, server *tidemarktest.Server, args ...string) string {
	t.Helper()

	var flags struct {
		Observe observeCmd `cmd:""`
	}

	flags.Observe.Report.Server.options = []tidemark.Option{server.DialOption()}

	parser, err := kong.New(&flags)
	require.NoError(t, err)

	parsed, err := parser.Parse(append(append([]string{"observe", "report"}, args...), "--server", server.Target()))
	require.NoError(t, err)

	out := &lines{}

	parsed.BindTo(t.Context(), (*context.Context)(nil))
	parsed.BindTo(out, (*io.Writer)(nil))
	parsed.Bind(slog.New(slog.DiscardHandler))
	require.NoError(t, parsed.Run())

	return out.taken()
}

func TestObserveReport(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server := newServer(t)
		asked := &tidemarkv1.GetObserveReportRequest{}

		server.SetObserveReport(func(r *tidemarkv1.GetObserveReportRequest) *tidemarkv1.GetObserveReportResponse {
			asked = r

			grew := &tidemarkv1.ObservedMoves{AdvisedCount: 3, MedianLead: durationpb.New(90 * time.Minute), UnadvisedCount: 1}
			orders := &tidemarkv1.Observation{
				Service: "prod/orders-db", ObservedDuration: durationpb.New(24 * time.Hour), AgreedDuration: durationpb.New(6 * time.Hour),
				SavedCoreHours: 123.4, AddedCoreHours: 3.21, SavedGibHours: 0.04, Up: grew, Down: &tidemarkv1.ObservedMoves{WithdrawnCount: 2},
			}
			users := &tidemarkv1.Observation{
				Service: "prod/users-db", ObservedDuration: durationpb.New(24 * time.Hour), AgreedDuration: durationpb.New(24 * time.Hour),
				AddedGibHours: 12.34,
			}

			return &tidemarkv1.GetObserveReportResponse{
				StartTime: timestamppb.New(time.Now().Add(-r.GetPeriod().AsDuration())), EndTime: timestamppb.Now(), ServiceCount: 2,
				Total: &tidemarkv1.Observation{
					ObservedDuration: durationpb.New(48 * time.Hour), AgreedDuration: durationpb.New(30 * time.Hour),
					SavedCoreHours: 123.4, AddedCoreHours: 3.21, SavedGibHours: 0.04, AddedGibHours: 12.34,
					Up: grew, Down: orders.GetDown(),
				},
				Services: []*tidemarkv1.Observation{orders, users},
			}
		})

		require.Equal(t, strings.TrimPrefix(`
2 services were observed in the last 24h; their size was the recommended one 62 % of the time
  CPU        would have saved 123 core-hours and added 3.2
  memory     would have saved 0 GiB-hours and added 12.3
  growing    3 changes were recommended before they were made, in the median 90m sooner; 1 were made without, 0 were recommended and not made
  shrinking  0 changes were recommended before they were made; 0 were made without, 2 were recommended and not made
SERVICE         AGREED  CORE-HOURS  GIB-HOURS  SOONER UP  SOONER DOWN
prod/orders-db  25 %    -120        0          90m        -
prod/users-db   100 %   0           +12.3      -          -
`, "\n"), observePrinted(t, server))

		require.Contains(t, observePrinted(t, server, "--json", "--for=3h", "--tenant=prod", "--service=prod/a", "--top=5"),
			`"service_count":"2"`)
		require.Equal(t, 3*time.Hour, asked.GetPeriod().AsDuration())
		require.Equal(t, []string{"prod"}, asked.GetTenants())
		require.Equal(t, []string{"prod/a"}, asked.GetServices())
		require.EqualValues(t, 5, asked.GetTop())
	})
}

func TestObserveReportOfNothing(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server := newServer(t)
		server.SetObserveReport(func(r *tidemarkv1.GetObserveReportRequest) *tidemarkv1.GetObserveReportResponse {
			return &tidemarkv1.GetObserveReportResponse{
				StartTime: timestamppb.New(time.Now().Add(-r.GetPeriod().AsDuration())), EndTime: timestamppb.Now(),
			}
		})

		require.Equal(t, "nothing was observed in the last 2d: no policy that was asked about observes, or the server has just started\n",
			observePrinted(t, server, "--for=48h"))
	})
}
