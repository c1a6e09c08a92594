package tidemark_test

import (
	"context"
	"fmt"

	"github.com/tidemark-project/tidemark/clients/tidemark"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// What acts on a recommendation tells what became of it.
func ExampleClient_ReportScaling() {
	client, done := exampleClient()
	defer done()

	ctx := context.Background()

	r, err := client.Get(ctx, &tidemarkv1.GetRecommendationRequest{Service: "prod/orders-db"})
	if err != nil {
		fmt.Println(err)

		return
	}

	// Here the program resizes the service.

	current, err := client.ReportScaling(ctx, &tidemarkv1.ReportScalingRequest{
		Service:    r.GetService(),
		Revision:   r.GetRevision(),
		Outcome:    tidemarkv1.ScalingOutcome_SCALING_OUTCOME_APPLIED,
		Allocation: r.GetRecommended(),
		Agent:      "my-operator",
	})
	if err != nil {
		fmt.Println(err)

		return
	}

	fmt.Println("still the newest:", current == r.GetRevision())
	// Output: still the newest: true
}

// A refused value stays as it is, with the reason, and is sent to watchers again if the report asks for it.
func ExampleClient_ReportScaling_refused() {
	client, done := exampleClient()
	defer done()

	ctx := context.Background()

	_, err := client.ReportScaling(ctx, &tidemarkv1.ReportScalingRequest{
		Service:  "prod/orders-db",
		Revision: 1,
		Outcome:  tidemarkv1.ScalingOutcome_SCALING_OUTCOME_REFUSED,
		Message:  "the quota of prod allows 4Gi",
		Agent:    "my-operator",
		Resend:   true,
	})
	if err != nil {
		fmt.Println(err)

		return
	}

	r, err := client.Get(ctx, &tidemarkv1.GetRecommendationRequest{Service: "prod/orders-db"})
	if err != nil {
		fmt.Println(err)

		return
	}

	fmt.Println(r.GetScalingReport().GetAgent(), "refused:", r.GetScalingReport().GetMessage())
	// Output: my-operator refused: the quota of prod allows 4Gi
}

func ExampleClient_DeleteService() {
	client, done := exampleClient()
	defer done()

	if _, err := client.DeleteService(context.Background(), "prod/users-db"); err != nil {
		fmt.Println(err)

		return
	}

	_, err := client.Get(context.Background(), &tidemarkv1.GetRecommendationRequest{Service: "prod/users-db"})

	fmt.Println(tidemark.Reason(err))
	// Output: RECOMMENDATION_NOT_FOUND
}
