package tidemark

import (
	"context"
	"fmt"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// ReportScaling tells the server what was done with a revision, and returns the service's current one: a larger one when
// the report is about an outdated revision. The same report again changes nothing. The error is NOT_FOUND when the
// service has no recommendation, and FAILED_PRECONDITION with the reason REVISION_UNKNOWN when the server never gave that
// revision out; neither is worth a retry.
func (c *Client) ReportScaling(ctx context.Context, request *tidemarkv1.ReportScalingRequest) (int64, error) {
	response, err := c.api.ReportScaling(ctx, request)
	if err != nil {
		return 0, fmt.Errorf("report on revision %d of %s: %w", request.GetRevision(), request.GetService(), err)
	}

	return response.GetRevision(), nil
}

// DeleteService makes the server forget a service that has gone, and returns the revision of the deletion. A service that
// is enqueued later begins anew. The error is NOT_FOUND when nothing is known of it, also when the call was repeated
// because the answer to a deletion was lost.
func (c *Client) DeleteService(ctx context.Context, service string) (int64, error) {
	response, err := c.api.DeleteService(ctx, &tidemarkv1.DeleteServiceRequest{Service: service})
	if err != nil {
		return 0, fmt.Errorf("delete %s: %w", service, err)
	}

	return response.GetRevision(), nil
}
