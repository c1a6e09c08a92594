package tidemark_test

import (
	"context"
	"fmt"
	"time"

	"github.com/tidemark-project/tidemark/clients/tidemark"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

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

// A program that keeps the token of the last event goes on after it when it is started anew, without another snapshot.
func ExampleClient_Watch_resume() {
	server := exampleServer()
	defer server.Close()

	client := server.Dial()
	defer client.Close() //nolint:errcheck // the program ends

	token := ""

	// follow watches until everything there is has been told, as a real program would until it ends.
	follow := func() {
		for event, err := range client.Watch(context.Background(), tidemark.WatchOptions{ResumeToken: token}) {
			if err != nil {
				fmt.Println(err)

				return
			}

			// Within a snapshot there is none: who stops there begins anew.
			token = event.ResumeToken

			switch event.Kind { //nolint:exhaustive // the others are not of interest here
			case tidemark.SnapshotStarted:
				fmt.Println("from the beginning")
			case tidemark.Changed:
				fmt.Println(event.Recommendation.GetService(), tidemark.FormatSize(event.Recommendation.GetRecommended()))
			case tidemark.CaughtUp:
				return
			}
		}
	}

	follow()
	server.Put(&tidemarkv1.Recommendation{
		Service: "prod/users-db", Recommended: &tidemarkv1.Size{CpuMillis: 750, MemoryBytes: 2 << 30, Replicas: 3},
	})
	fmt.Println("started anew")
	follow()
	// Output:
	// from the beginning
	// prod/orders-db 1.5 cores, 8Gi, 3 replicas
	// prod/users-db 500m, 2Gi, 3 replicas
	// started anew
	// prod/users-db 750m, 2Gi, 3 replicas
}

// A watch goes on by itself when the server is back. Meanwhile the loop is told once that what it holds may be outdated.
func ExampleClient_Watch_staleness() {
	server := exampleServer()
	defer server.Close()

	client := server.Dial()
	defer client.Close() //nolint:errcheck // the program ends

	stale, restarted := false, false
	options := tidemark.WatchOptions{HeartbeatInterval: 5 * time.Second, MinReconnectDelay: 10 * time.Millisecond}

	for event, err := range client.Watch(context.Background(), options) {
		if err != nil {
			fmt.Println(err)

			return
		}

		switch {
		case event.Kind == tidemark.Disconnected:
			stale = true

			fmt.Println("stale, but known a moment ago:", time.Since(event.Since) < time.Minute)
		case stale && event.Kind == tidemark.CaughtUp:
			fmt.Println("current again")

			return // a real program goes on
		case !restarted && event.Kind == tidemark.CaughtUp:
			restarted = true

			server.Disconnect()
		}
	}
	// Output:
	// stale, but known a moment ago: true
	// current again
}

func ExampleEventKind_String() {
	client, done := exampleClient()
	defer done()

	for event, err := range client.Watch(context.Background(), tidemark.WatchOptions{ChangesOnly: true}) {
		fmt.Println(event.Kind, err)

		break
	}
	// Output: caught up <nil>
}
