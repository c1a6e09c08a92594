package demo

import (
	"context"
	"time"

	"github.com/tidemark-project/tidemark/clients/tidemark"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// surveyPage is as many recommendations as the server sends at once.
const surveyPage = 1000

// picture is what all recommendations show together.
type picture struct {
	recommendations []*tidemarkv1.Recommendation
	// evaluated is how many services were evaluated at least once, oldest when the one was whose last time is longest ago.
	evaluated int
	oldest    time.Time
	// failing are those whose latest evaluation failed.
	failing []*tidemarkv1.Recommendation
}

// survey reads all recommendations.
func survey(ctx context.Context, client *tidemark.Client) (picture, error) {
	var p picture

	for r, err := range client.List(ctx, &tidemarkv1.ListRecommendationsRequest{PageSize: surveyPage}) {
		if err != nil {
			return picture{}, err
		}

		p.add(r)
	}

	return p, nil
}

func (p *picture) add(r *tidemarkv1.Recommendation) {
	p.recommendations = append(p.recommendations, r)

	if r.GetFailure() != nil {
		p.failing = append(p.failing, r)
	}

	at := r.GetEvaluateTime()
	if at == nil {
		return
	}

	p.evaluated++

	if p.oldest.IsZero() || at.AsTime().Before(p.oldest) {
		p.oldest = at.AsTime()
	}
}
