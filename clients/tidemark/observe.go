package tidemark

import (
	"context"
	"fmt"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// ObserveReport compares recommendations that were only observed with the sizes that were in force: what would have come of
// them.
func (c *Client) ObserveReport(
	ctx context.Context, request *tidemarkv1.GetObserveReportRequest,
) (*tidemarkv1.GetObserveReportResponse, error) {
	response, err := c.api.GetObserveReport(ctx, request)
	if err != nil {
		return nil, fmt.Errorf("get the observe report: %w", err)
	}

	return response, nil
}
