package main

import (
	"context"
	"io"
	"log/slog"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/tidemark-project/tidemark/clients/tidemark"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// observeCmd is about recommendations that are only looked at.
type observeCmd struct {
	Report observeReportCmd `cmd:"" help:"Compare what was only observed with the sizes that were in force."`
}

// observeReportCmd shows what would have come of recommendations that were only observed.
type observeReportCmd struct {
	For     time.Duration `default:"24h" placeholder:"DURATION" help:"How far to look back; 168h at most."`
	Service []string      `placeholder:"TENANT/NAME" help:"Only these services."`
	Tenant  []string      `help:"Only these tenants' services."`
	Top     int32         `default:"20" help:"How many services to list, those with the largest difference first."`

	Server serverFlags `embed:"" group:"Server"`
	Call   callFlags   `embed:""`
}

// Help implements kong.HelpProvider.
func (c *observeReportCmd) Help() string {
	return `It is about services whose policy observes all changes or some of them: how often the size in force was the one that
was recommended, what the recommendations would have saved or added, and by how much sooner a change was recommended than
made. It knows a week at most, and nothing of before the server's start. When the size in force did not follow, what is
recommended the next day starts from it again: read savings as what following the advice once would have been worth.`
}

// Run prints the report.
func (c *observeReportCmd) Run(ctx context.Context, out io.Writer, _ *slog.Logger) error {
	return queueCall(ctx, &c.Server, c.Call.Timeout, func(ctx context.Context, client *tidemark.Client) error {
		report, err := client.ObserveReport(ctx, &tidemarkv1.GetObserveReportRequest{
			Services: c.Service, Tenants: c.Tenant, Period: durationpb.New(c.For), Top: c.Top,
		})
		if err != nil {
			return err
		}

		if c.Call.JSON {
			return printJSON(out, report)
		}

		return printObserveReport(out, report)
	})
}
