// Package tidemark is the Go client of Tidemark: it asks for evaluations, reads recommendations and follows them as they
// change.
//
// A Client is made by Dial, which does not wait for the server; it is safe for concurrent use and holds one connection
// per server address.
//
//	client, err := tidemark.Dial("tidemark.example.net:8433")
//	if err != nil {
//		return err
//	}
//	defer client.Close()
//
//	for event, err := range client.Watch(ctx, tidemark.WatchOptions{}) {
//		if err != nil {
//			return err
//		}
//		if event.Kind == tidemark.Changed {
//			fmt.Println(event.Recommendation.GetService(), tidemark.FormatSize(event.Recommendation.GetRecommended()))
//		}
//	}
//
// Queue is for operators: it shows the work that waits and steers it.
//
// Errors are those of gRPC; Reason, RetryDelay, Violations and Retryable read what the server put into them.
package tidemark
