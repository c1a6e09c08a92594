package tidemark_test

import (
	"context"
	"fmt"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/tidemark-project/tidemark/clients/tidemark"
	"github.com/tidemark-project/tidemark/clients/tidemark/tidemarktest"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// exampleClient is a client of a server that lives in the process and knows two services.
func exampleClient() (client *tidemark.Client, done func()) {
	server := tidemarktest.New()
	server.SetServices(
		&tidemarkv1.Service{Service: "prod/orders-db", Labels: map[string]string{"tier": "gold"}},
		&tidemarkv1.Service{Service: "prod/users-db"},
	)
	server.Put(&tidemarkv1.Recommendation{
		Service:     "prod/orders-db",
		Allocation:  &tidemarkv1.Size{CpuMillis: 1000, MemoryBytes: 4 << 30, Replicas: 3},
		Recommended: &tidemarkv1.Size{CpuMillis: 1500, MemoryBytes: 8 << 30, Replicas: 3},
		Direction:   tidemarkv1.Direction_DIRECTION_UP,
	})
	server.Put(&tidemarkv1.Recommendation{
		Service:     "prod/users-db",
		Allocation:  &tidemarkv1.Size{CpuMillis: 500, MemoryBytes: 2 << 30, Replicas: 3},
		Recommended: &tidemarkv1.Size{CpuMillis: 500, MemoryBytes: 2 << 30, Replicas: 3},
		Direction:   tidemarkv1.Direction_DIRECTION_NONE,
	})

	client = server.Dial()

	return client, func() {
		if err := client.Close(); err != nil {
			panic(err)
		}

		server.Close()
	}
}

func ExampleDial() {
	client, err := tidemark.Dial("dns:///tidemark.example.net:8433", tidemark.WithUserAgent("my-operator/1.0"))
	if err != nil {
		fmt.Println(err)

		return
	}

	fmt.Println(client.Close())
	// Output: <nil>
}

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

func ExampleClient_Watch() {
	client, done := exampleClient()
	defer done()

	// The present state: the last value of every service.
	held := make(map[string]*tidemarkv1.Recommendation)

	for event, err := range client.Watch(context.Background(), tidemark.WatchOptions{}) {
		if err != nil {
			fmt.Println(err)

			return
		}

		switch event.Kind {
		case tidemark.Changed, tidemark.Renewed:
			held[event.Recommendation.GetService()] = event.Recommendation
		case tidemark.Removed:
			delete(held, event.Removed.GetService())
		case tidemark.CaughtUp:
			fmt.Println("holds", len(held), "services")

			return // a real program goes on
		case tidemark.Disconnected:
			fmt.Println("what is held is as of", event.Since)
		case tidemark.SnapshotStarted, tidemark.Alive:
		}
	}
	// Output: holds 2 services
}

func ExampleReason() {
	client, done := exampleClient()
	defer done()

	_, err := client.Get(context.Background(), &tidemarkv1.GetRecommendationRequest{Service: "prod/unknown"})

	fmt.Println(status.Code(err) == codes.NotFound, tidemark.Reason(err))
	// Output: true RECOMMENDATION_NOT_FOUND
}
