package tidemark_test

import (
	"context"
	"fmt"

	"google.golang.org/grpc/status"

	"github.com/tidemark-project/tidemark/clients/tidemark"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

func ExampleClient_Enqueue() {
	client, done := exampleClient()
	defer done()

	response, err := client.Enqueue(context.Background(), &tidemarkv1.EnqueueRequest{
		Service: "prod/orders-db",
		Source:  "deploy-bot",
		Detail:  "release 42 went out",
	})
	if err != nil {
		fmt.Println(err)

		return
	}

	fmt.Println(response.GetService(), response.GetOutcome())
	// Output: prod/orders-db ENQUEUE_OUTCOME_QUEUED
}

func ExampleClient_BatchEnqueue() {
	client, done := exampleClient()
	defer done()

	results, err := client.BatchEnqueue(context.Background(), []*tidemarkv1.EnqueueRequest{
		{Service: "prod/orders-db", Trigger: tidemarkv1.Trigger_TRIGGER_SIGNAL, Detail: "memory_rejections=12"},
		{Service: "prod/users-db", Trigger: tidemarkv1.Trigger_TRIGGER_SIGNAL, Detail: "oom_kills=1"},
	})
	if err != nil {
		fmt.Println(err)

		return
	}

	for _, result := range results {
		if refusal := result.GetError(); refusal != nil {
			fmt.Println("refused:", tidemark.Reason(status.FromProto(refusal).Err()))

			continue
		}

		fmt.Println(result.GetResponse().GetService(), "accepted")
	}
	// Output:
	// prod/orders-db accepted
	// prod/users-db accepted
}
