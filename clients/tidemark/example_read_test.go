package tidemark_test

import (
	"context"
	"fmt"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/tidemark-project/tidemark/clients/tidemark"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

func ExampleClient_Get() {
	client, done := exampleClient()
	defer done()

	r, err := client.Get(context.Background(), &tidemarkv1.GetRecommendationRequest{Service: "prod/orders-db"})
	if err != nil {
		fmt.Println(err)

		return
	}

	fmt.Println("has:  ", tidemark.FormatSize(r.GetAllocation()))
	fmt.Println("needs:", tidemark.FormatSize(r.GetRecommended()))
	// Output:
	// has:   1 core, 4Gi, 3 replicas
	// needs: 1.5 cores, 8Gi, 3 replicas
}

// Whoever has seen a revision elsewhere, such as that of a deletion, is not answered from before it.
func ExampleClient_Get_minRevision() {
	client, done := exampleClient()
	defer done()

	ctx := context.Background()

	revision, err := client.DeleteService(ctx, "prod/orders-db")
	if err != nil {
		fmt.Println(err)

		return
	}

	_, err = client.Get(ctx, &tidemarkv1.GetRecommendationRequest{Service: "prod/orders-db", MinRevision: revision})

	fmt.Println(status.Code(err) == codes.NotFound)
	// Output: true
}

func ExampleClient_List() {
	client, done := exampleClient()
	defer done()

	request := &tidemarkv1.ListRecommendationsRequest{
		Filter: &tidemarkv1.RecommendationFilter{Tenants: []string{"prod"}},
	}

	for r, err := range client.List(context.Background(), request) {
		if err != nil {
			fmt.Println(err)

			return
		}

		fmt.Println(r.GetService(), tidemark.FormatSize(r.GetRecommended()))
	}
	// Output:
	// prod/orders-db 1.5 cores, 8Gi, 3 replicas
	// prod/users-db 500m, 2Gi, 3 replicas
}

func ExampleClient_Services() {
	client, done := exampleClient()
	defer done()

	for service, err := range client.Services(context.Background(), &tidemarkv1.ListServicesRequest{}) {
		if err != nil {
			fmt.Println(err)

			return
		}

		fmt.Println(service.GetService(), service.GetLabels())
	}
	// Output:
	// prod/orders-db map[tier:gold]
	// prod/users-db map[]
}
