package main

import (
	"context"
	"io"
	"log/slog"
	"time"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// getCmd shows one recommendation.
type getCmd struct {
	Service     string `arg:"" placeholder:"TENANT/NAME" help:"The service, such as prod/orders-db."`
	MinRevision int64  `placeholder:"N" help:"Refuse an answer that is older than this revision."`

	Server serverFlags `embed:"" group:"Server"`
	Call   callFlags   `embed:""`
}

// Run prints the recommendation and why it is so.
func (c *getCmd) Run(ctx context.Context, out io.Writer, _ *slog.Logger) error {
	client, err := c.Server.dial()
	if err != nil {
		return err
	}
	defer client.Close() //nolint:errcheck // the process ends

	ctx, cancel := context.WithTimeout(ctx, c.Call.Timeout)
	defer cancel()

	recommendation, err := client.Get(ctx, &tidemarkv1.GetRecommendationRequest{
		Service: c.Service, View: tidemarkv1.View_VIEW_FULL, MinRevision: c.MinRevision,
	})
	if err != nil {
		return c.Server.explain(err)
	}

	if c.Call.JSON {
		return printJSON(out, recommendation)
	}

	if err := printRecommendation(out, recommendation, time.Now()); err != nil {
		return err
	}

	return printExplanation(out, recommendation.GetExplanation())
}
