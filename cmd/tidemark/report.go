package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"

	"github.com/tidemark-project/tidemark/clients/tidemark"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// reportCmd tells the server what was done with a recommendation, for those who scale by hand or by a script.
type reportCmd struct {
	Service  string `arg:"" placeholder:"TENANT/NAME" help:"The service, such as prod/orders-db."`
	Revision int64  `required:"" placeholder:"N" help:"The revision that was applied, refused and so on; 'get' shows it."`
	Outcome  string `required:"" enum:"applied,refused,failed,deferred" help:"What became of it: ${enum}."`
	Message  string `help:"Why, in a few words; shown with the recommendation."`
	Agent    string `placeholder:"NAME" help:"Who did it; your login name when not given."`
	Resend   bool   `help:"After refused or failed: have the recommendation sent again to those that watch."`

	Server serverFlags `embed:"" group:"Server"`
	Call   callFlags   `embed:""`
}

// Help implements kong.HelpProvider.
func (c *reportCmd) Help() string {
	return `The recommendation shows the report from then on. What was applied starts the cool-down of the policy.`
}

// Run reports, and says so when the report is about an outdated revision.
func (c *reportCmd) Run(ctx context.Context, out io.Writer, _ *slog.Logger) error {
	outcome, err := enumValue("outcome", tidemarkv1.ScalingOutcome_value, "SCALING_OUTCOME_", c.Outcome)
	if err != nil {
		return err
	}

	agent, err := (&authorFlags{Author: c.Agent}).author()
	if err != nil {
		return err
	}

	return queueCall(ctx, &c.Server, c.Call.Timeout, func(ctx context.Context, client *tidemark.Client) error {
		current, err := client.ReportScaling(ctx, &tidemarkv1.ReportScalingRequest{
			Service: c.Service, Revision: c.Revision, Outcome: tidemarkv1.ScalingOutcome(outcome), Message: c.Message,
			Agent: agent, Resend: c.Resend,
		})
		if err != nil {
			return err
		}

		if c.Call.JSON {
			return printJSON(out, &tidemarkv1.ReportScalingResponse{Revision: current})
		}

		return printLine(out, c.Service+"  "+c.reported(current))
	})
}

// reported says what became of the report: "revision 42 applied".
func (c *reportCmd) reported(current int64) string {
	text := fmt.Sprintf("revision %d %s", c.Revision, c.Outcome)
	if current > c.Revision {
		text += fmt.Sprintf("; it is outdated, the current revision is %d", current)
	}

	return text
}
