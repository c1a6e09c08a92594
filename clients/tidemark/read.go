package tidemark

import (
	"context"
	"fmt"
	"iter"

	"google.golang.org/protobuf/proto"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// Get returns how big one service should be; NOT_FOUND when it was never evaluated.
func (c *Client) Get(
	ctx context.Context, request *tidemarkv1.GetRecommendationRequest,
) (*tidemarkv1.Recommendation, error) {
	response, err := c.api.GetRecommendation(ctx, request)
	if err != nil {
		return nil, fmt.Errorf("get the recommendation of %s: %w", request.GetService(), err)
	}

	return response.GetRecommendation(), nil
}

// List yields the recommendations that the request selects, ordered by service, and fetches page after page as the loop
// goes on. The request's page size is the size of each page, its page token where to begin. An error is the last thing
// that is yielded.
func (c *Client) List(
	ctx context.Context, request *tidemarkv1.ListRecommendationsRequest,
) iter.Seq2[*tidemarkv1.Recommendation, error] {
	return pages(request.GetPageToken(), func(token string) ([]*tidemarkv1.Recommendation, string, error) {
		page := &tidemarkv1.ListRecommendationsRequest{}
		proto.Merge(page, request)
		page.PageToken = token

		response, err := c.api.ListRecommendations(ctx, page)
		if err != nil {
			return nil, "", fmt.Errorf("list recommendations: %w", err)
		}

		return response.GetRecommendations(), response.GetNextPageToken(), nil
	})
}

// Services yields the services of the inventory that the request selects, ordered by key, and fetches page after page
// like List.
func (c *Client) Services(
	ctx context.Context, request *tidemarkv1.ListServicesRequest,
) iter.Seq2[*tidemarkv1.Service, error] {
	return pages(request.GetPageToken(), func(token string) ([]*tidemarkv1.Service, string, error) {
		page := &tidemarkv1.ListServicesRequest{}
		proto.Merge(page, request)
		page.PageToken = token

		response, err := c.api.ListServices(ctx, page)
		if err != nil {
			return nil, "", fmt.Errorf("list services: %w", err)
		}

		return response.GetServices(), response.GetNextPageToken(), nil
	})
}

// pages yields the elements of one page after the other, beginning with the one that token names. Fetch returns a page
// and the token of the next one, which is empty for the last page.
func pages[E any](token string, fetch func(token string) ([]E, string, error)) iter.Seq2[E, error] {
	return func(yield func(E, error) bool) {
		for at, more := token, true; more; more = at != "" {
			elements, next, err := fetch(at)
			if err != nil {
				var none E

				yield(none, err)

				return
			}

			for _, element := range elements {
				if !yield(element, nil) {
					return
				}
			}

			at = next
		}
	}
}
