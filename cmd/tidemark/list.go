package main

import (
	"context"
	"io"
	"log/slog"
	"strconv"
	"time"

	"github.com/tidemark-project/tidemark/clients/agent"
	"github.com/tidemark-project/tidemark/clients/tidemark"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// listPage is as many recommendations as the server sends at once.
const listPage = 1000

// listCmd lists recommendations.
type listCmd struct {
	Full bool `help:"With --json, also the explanation and the triggers."`

	Filter filterFlags `embed:"" group:"Filter"`
	Server serverFlags `embed:"" group:"Server"`
	Call   callsFlags  `embed:""`
}

// Run prints the recommendations.
func (c *listCmd) Run(ctx context.Context, out io.Writer, _ *slog.Logger) error {
	filter, err := c.Filter.filter()
	if err != nil {
		return err
	}

	client, err := c.Call.dial(&c.Server)
	if err != nil {
		return err
	}
	defer client.Close() //nolint:errcheck // the process ends

	rows := newTable(out)
	rows.row("SERVICE", "NOW", "RECOMMENDED", "DIRECTION", "MODE", "STATUS", "POLICY", "REVISION", "EVALUATED")

	request := &tidemarkv1.ListRecommendationsRequest{Filter: filter, View: view(c.Full && c.Call.JSON), PageSize: listPage}

	for recommendation, err := range client.List(ctx, request) {
		if err != nil {
			return c.Server.explain(err)
		}

		if !c.Call.JSON {
			rows.row(cells(recommendation, time.Now())...)

			continue
		}

		if err := printJSON(out, recommendation); err != nil {
			return err
		}
	}

	if c.Call.JSON {
		return nil
	}

	return rows.flush()
}

// cells are a recommendation's row.
func cells(recommendation *tidemarkv1.Recommendation, now time.Time) []string {
	return []string{
		recommendation.GetService(),
		tidemark.FormatSize(recommendation.GetAllocation()),
		tidemark.FormatSize(recommendation.GetRecommended()),
		agent.DirectionName(recommendation.GetDirection()),
		tidemark.FormatEnum(recommendation.GetMode()),
		tidemark.FormatEnum(recommendation.GetStatus()) + freshness(recommendation),
		orDash(recommendation.GetPolicy().GetName()),
		strconv.FormatInt(recommendation.GetRevision(), 10),
		ago(recommendation.GetEvaluateTime(), now),
	}
}
