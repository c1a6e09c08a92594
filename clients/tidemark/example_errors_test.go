package tidemark_test

import (
	"context"
	"fmt"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/tidemark-project/tidemark/clients/tidemark"
	"github.com/tidemark-project/tidemark/clients/tidemark/tidemarktest"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

func ExampleReason() {
	client, done := exampleClient()
	defer done()

	_, err := client.Get(context.Background(), &tidemarkv1.GetRecommendationRequest{Service: "prod/unknown"})

	fmt.Println(status.Code(err) == codes.NotFound, tidemark.Reason(err))
	// Output: true RECOMMENDATION_NOT_FOUND
}

func ExampleHasReason() {
	client, done := exampleClient()
	defer done()

	_, err := client.Get(context.Background(), &tidemarkv1.GetRecommendationRequest{Service: "prod/unknown"})
	if tidemark.HasReason(err, tidemarkv1.ErrorReason_ERROR_REASON_RECOMMENDATION_NOT_FOUND) {
		fmt.Println("not evaluated yet")
	}
	// Output: not evaluated yet
}

// refusing is a client of a server that refuses everything.
func refusing(err error) (client *tidemark.Client, done func()) {
	server := tidemarktest.New()
	server.FailWith(func(string) error { return err })

	client = server.Dial()

	return client, func() {
		if err := client.Close(); err != nil {
			panic(err)
		}

		server.Close()
	}
}

// A full server says when to come again.
func ExampleRetryDelay() {
	client, done := refusing(tidemarktest.Error(codes.ResourceExhausted, tidemarkv1.ErrorReason_ERROR_REASON_QUEUE_FULL,
		"the queue is full", &errdetails.RetryInfo{RetryDelay: durationpb.New(5 * time.Second)}))
	defer done()

	_, err := client.Enqueue(context.Background(), &tidemarkv1.EnqueueRequest{Service: "prod/orders-db"})

	if tidemark.Retryable(err) {
		fmt.Println("again in", tidemark.RetryDelay(err))
	}
	// Output: again in 5s
}

// A request that is wrong is wrong the next time, too.
func ExampleRetryable() {
	client, done := exampleClient()
	defer done()

	_, err := client.Get(context.Background(), &tidemarkv1.GetRecommendationRequest{Service: "prod/unknown"})

	fmt.Println(tidemark.Retryable(err))
	// Output: false
}

// A program that calls again and again ends when that can lead nowhere.
func ExampleFatal() {
	client, done := refusing(status.Error(codes.PermissionDenied, "this token may read only"))
	defer done()

	_, err := client.Enqueue(context.Background(), &tidemarkv1.EnqueueRequest{Service: "prod/orders-db"})

	fmt.Println(tidemark.Fatal(err))
	// Output: true
}

func ExampleViolations() {
	client, done := refusing(tidemarktest.Error(codes.InvalidArgument,
		tidemarkv1.ErrorReason_ERROR_REASON_INVALID_ARGUMENT, "the request is wrong", &errdetails.BadRequest{
			FieldViolations: []*errdetails.BadRequest_FieldViolation{{
				Field: "service", Description: `must be "tenant/name"`,
			}},
		}))
	defer done()

	_, err := client.Enqueue(context.Background(), &tidemarkv1.EnqueueRequest{Service: "orders-db"})
	for _, violation := range tidemark.Violations(err) {
		fmt.Println(violation.GetField(), violation.GetDescription())
	}
	// Output: service must be "tenant/name"
}
