package tidemark_test

import (
	"context"
	"fmt"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/tidemark-project/tidemark/clients/tidemark"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// exampleQueue is a client of a server in whose queue one service waits and one was given up.
func exampleQueue() (client *tidemark.Client, done func()) {
	server := exampleServer()
	server.SetQueueStatus(&tidemarkv1.GetQueueStatusResponse{Depth: &tidemarkv1.QueueDepth{Waiting: 1, Failed: 1}})
	server.SetQueueItems(
		&tidemarkv1.QueueItem{Service: "prod/orders-db", State: tidemarkv1.ItemState_ITEM_STATE_WAITING},
		&tidemarkv1.QueueItem{
			Service: "prod/users-db", State: tidemarkv1.ItemState_ITEM_STATE_FAILED,
			Attempts: 6, LastError: "usage: no such table",
		},
	)

	client = server.Dial()

	return client, func() {
		if err := client.Close(); err != nil {
			panic(err)
		}

		server.Close()
	}
}

func ExampleClient_Queue() {
	client, done := exampleQueue()
	defer done()

	status, err := client.Queue().GetQueueStatus(context.Background(), &tidemarkv1.GetQueueStatusRequest{})
	if err != nil {
		fmt.Println(err)

		return
	}

	fmt.Println(status.GetDepth().GetWaiting(), "waiting,", status.GetDepth().GetFailed(), "given up")
	// Output: 1 waiting, 1 given up
}

// One page of the queue's items; QueueItems fetches them all.
func ExampleClient_Queue_list() {
	client, done := exampleQueue()
	defer done()

	page, err := client.Queue().ListQueueItems(context.Background(), &tidemarkv1.ListQueueItemsRequest{PageSize: 1})
	if err != nil {
		fmt.Println(err)

		return
	}

	fmt.Println(page.GetItems()[0].GetService(), tidemark.FormatEnum(page.GetItems()[0].GetState()))
	fmt.Println("there is more:", page.GetNextPageToken() != "")
	// Output:
	// prod/orders-db waiting
	// there is more: true
}

func ExampleClient_QueueItems() {
	client, done := exampleQueue()
	defer done()

	for item, err := range client.QueueItems(context.Background(), &tidemarkv1.ListQueueItemsRequest{Tenant: "prod"}) {
		if err != nil {
			fmt.Println(err)

			return
		}

		fmt.Println(item.GetService(), tidemark.FormatEnum(item.GetState()))
	}
	// Output:
	// prod/orders-db waiting
	// prod/users-db failed
}

// What was given up, and why; and all of it tried again.
func ExampleClient_QueueItems_failed() {
	client, done := exampleQueue()
	defer done()

	ctx := context.Background()
	request := &tidemarkv1.ListQueueItemsRequest{States: []tidemarkv1.ItemState{tidemarkv1.ItemState_ITEM_STATE_FAILED}}

	for item, err := range client.QueueItems(ctx, request) {
		if err != nil {
			fmt.Println(err)

			return
		}

		fmt.Println(item.GetService(), "failed", item.GetAttempts(), "times:", item.GetLastError())

		retried, err := client.Queue().RetryItem(ctx, &tidemarkv1.RetryItemRequest{Service: item.GetService()})
		if err != nil {
			fmt.Println(err)

			return
		}

		fmt.Println("now", tidemark.FormatEnum(retried.GetItem().GetState()))
	}
	// Output:
	// prod/users-db failed 6 times: usage: no such table
	// now waiting
}

func ExampleClient_Queue_cancel() {
	client, done := exampleQueue()
	defer done()

	ctx := context.Background()

	canceled, err := client.Queue().CancelItem(ctx, &tidemarkv1.CancelItemRequest{Service: "prod/orders-db"})
	if err != nil {
		fmt.Println(err)

		return
	}

	fmt.Println(canceled.GetItem().GetService(), "is not evaluated")

	_, err = client.Queue().CancelItem(ctx, &tidemarkv1.CancelItemRequest{Service: "prod/orders-db"})

	fmt.Println(tidemark.Reason(err))
	// Output:
	// prod/orders-db is not evaluated
	// QUEUE_ITEM_NOT_FOUND
}

// Nothing is evaluated during a maintenance, which says who ordered it and why, and ends by itself.
func ExampleClient_Queue_pause() {
	client, done := exampleQueue()
	defer done()

	ctx := context.Background()

	_, err := client.Queue().PauseQueue(ctx, &tidemarkv1.PauseQueueRequest{
		Scope:      tidemarkv1.PauseScope_PAUSE_SCOPE_EVALUATING,
		Author:     "ana@example.net",
		Reason:     "the usage store is being upgraded",
		ExpireTime: timestamppb.New(time.Now().Add(time.Hour)),
	})
	if err != nil {
		fmt.Println(err)

		return
	}

	resumed, err := client.Queue().ResumeQueue(ctx, &tidemarkv1.ResumeQueueRequest{
		Scope:  tidemarkv1.PauseScope_PAUSE_SCOPE_EVALUATING,
		Author: "ana@example.net",
	})
	if err != nil {
		fmt.Println(err)

		return
	}

	fmt.Println("no longer paused:", resumed.GetPause().GetReason())
	// Output: no longer paused: the usage store is being upgraded
}
