package tidemark_test

import (
	"context"
	"fmt"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// Before advice is acted on, one can look at what would have come of it.
func ExampleClient_ObserveReport() {
	server := exampleServer()
	defer server.Close()

	client := server.Dial()
	defer client.Close() //nolint:errcheck // the program ends

	server.SetObserveReport(func(*tidemarkv1.GetObserveReportRequest) *tidemarkv1.GetObserveReportResponse {
		return &tidemarkv1.GetObserveReportResponse{ServiceCount: 2}
	})

	report, err := client.ObserveReport(context.Background(), &tidemarkv1.GetObserveReportRequest{
		Period: durationpb.New(24 * time.Hour),
	})
	if err != nil {
		fmt.Println(err)

		return
	}

	fmt.Println("services that were only observed:", report.GetServiceCount())
	// Output: services that were only observed: 2
}
