package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"time"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// enqueueCmd asks for one evaluation.
type enqueueCmd struct {
	Service string `arg:"" placeholder:"TENANT/NAME" help:"The service, such as prod/orders-db."`
	Trigger string `default:"manual" enum:"manual,signal,periodic" help:"Why; it decides how urgent it is: ${enum}."`
	Detail  string `help:"What was seen, in a few words; shown in the recommendation."`
	Source  string `default:"cli" help:"Who asks; shown in the recommendation."`
	DryRun  bool   `help:"Only check the request and say what would become of it."`

	Server serverFlags `embed:"" group:"Server"`
	Call   callFlags   `embed:""`
}

// Run asks and prints what becomes of it.
func (c *enqueueCmd) Run(ctx context.Context, out io.Writer, _ *slog.Logger) error {
	client, err := c.Server.dial()
	if err != nil {
		return err
	}
	defer client.Close() //nolint:errcheck // the process ends

	ctx, cancel := context.WithTimeout(ctx, c.Call.Timeout)
	defer cancel()

	trigger, err := enumValue("trigger", tidemarkv1.Trigger_value, "TRIGGER_", c.Trigger)
	if err != nil {
		return err
	}

	response, err := client.Enqueue(ctx, &tidemarkv1.EnqueueRequest{
		Service: c.Service, Trigger: tidemarkv1.Trigger(trigger), Source: c.Source, Detail: c.Detail, ValidateOnly: c.DryRun,
	})
	if err != nil {
		return c.Server.explain(err)
	}

	if c.Call.JSON {
		return printJSON(out, response)
	}

	return printLine(out, response.GetService()+"  "+outcome(response, time.Now()))
}

// outcome says what became of a wish: "queued, due in 3s".
func outcome(response *tidemarkv1.EnqueueResponse, now time.Time) string {
	due := "due now"
	if wait := response.GetDueTime().AsTime().Sub(now); wait >= time.Second {
		due = "due in " + span(rounded(wait))
	}

	switch response.GetOutcome() {
	case tidemarkv1.EnqueueOutcome_ENQUEUE_OUTCOME_QUEUED:
		return "queued, " + due
	case tidemarkv1.EnqueueOutcome_ENQUEUE_OUTCOME_MERGED:
		return "was waiting already, " + due
	case tidemarkv1.EnqueueOutcome_ENQUEUE_OUTCOME_MOVED_UP:
		return "was in the queue already and was moved up, " + due
	case tidemarkv1.EnqueueOutcome_ENQUEUE_OUTCOME_DEFERRED:
		return fmt.Sprintf("is backing off after %s, %s", counted(int(response.GetAttempts()), "failure", "failures"), due)
	case tidemarkv1.EnqueueOutcome_ENQUEUE_OUTCOME_UNSPECIFIED:
		return due
	default:
		return due
	}
}
