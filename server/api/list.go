package api

import (
	"context"
	"time"

	"google.golang.org/grpc/codes"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/server/inventory"
	"github.com/tidemark-project/tidemark/server/rpcerror"
	"github.com/tidemark-project/tidemark/server/watch"
)

// Page sizes: the default and the largest of each list.
const (
	recommendationsPage, recommendationsMaxPage = 100, 1000
	servicesPage, servicesMaxPage               = 1000, 10_000
)

// ListRecommendations implements the RPC.
func (r *Recommendations) ListRecommendations(
	_ context.Context, request *tidemarkv1.ListRecommendationsRequest,
) (*tidemarkv1.ListRecommendationsResponse, error) {
	wanted, err := watch.ParseFilter(request.GetFilter())
	if err != nil {
		return nil, err
	}

	key := listKey(request.GetFilter())

	after, err := decodePageToken(request.GetPageToken(), key)
	if err != nil {
		return nil, err
	}

	limit := pageSize(request.GetPageSize(), recommendationsPage, recommendationsMaxPage)
	page, more, revision := r.hub.List(wanted, request.GetView(), after, limit)
	response := &tidemarkv1.ListRecommendationsResponse{Recommendations: page, Revision: revision}
	now := time.Now()

	for i := range page {
		page[i] = withFreshness(page[i], now)
	}

	if more {
		response.NextPageToken = encodePageToken(page[len(page)-1].GetService(), key)
	}

	return response, nil
}

// ListServices implements the RPC.
func (r *Recommendations) ListServices(
	_ context.Context, request *tidemarkv1.ListServicesRequest,
) (*tidemarkv1.ListServicesResponse, error) {
	key := listKey(&tidemarkv1.ListServicesRequest{Tenant: request.GetTenant(), Labels: request.GetLabels()})

	after, err := decodePageToken(request.GetPageToken(), key)
	if err != nil {
		return nil, err
	}

	page, more, read := r.inventory.Page(inventory.Query{
		Tenant: request.GetTenant(),
		Labels: request.GetLabels(),
		After:  after,
		Limit:  pageSize(request.GetPageSize(), servicesPage, servicesMaxPage),
	})

	// An inventory that was never read is not an empty one: a sweep that believed it would sweep nothing.
	if read == nil {
		return nil, rpcerror.New(codes.Unavailable, tidemarkv1.ErrorReason_ERROR_REASON_INVENTORY_UNAVAILABLE,
			"the inventory of services has not been read since the server started: the usage store may be away")
	}

	response := &tidemarkv1.ListServicesResponse{Services: page, InventoryTime: read}
	if more {
		response.NextPageToken = encodePageToken(page[len(page)-1].GetService(), key)
	}

	return response, nil
}

// pageSize applies the default and the largest size.
func pageSize(asked int32, usual, most int) int {
	if asked == 0 {
		return usual
	}

	return min(int(asked), most)
}
