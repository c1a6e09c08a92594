package tidemark

import (
	"encoding/json"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// serviceConfig is the default gRPC service config: calls are spread over all of the server's addresses, and those that
// may be repeated are, when the server cannot be reached. Enqueue may be, since the client gives each a request id.
// BatchEnqueue and the watch are not here: what holds their work (sources.Deliver, Client.Watch) repeats them for longer
// than a call may last.
func serviceConfig() string {
	type name struct {
		Service string `json:"service"`
		Method  string `json:"method"`
	}

	var names []name

	for service, methods := range repeatable() {
		for _, method := range methods {
			names = append(names, name{service, method})
		}
	}

	type object = map[string]any

	config, err := json.Marshal(object{
		"loadBalancingConfig": []object{{"round_robin": object{}}},
		"methodConfig": []object{{
			"name": names,
			"retryPolicy": object{
				"maxAttempts":          4,
				"initialBackoff":       "0.1s",
				"maxBackoff":           "2s",
				"backoffMultiplier":    2,
				"retryableStatusCodes": []string{"UNAVAILABLE"},
			},
		}},
		// Stops the repeating while most calls fail, so that a server in trouble is not given four times the load.
		"retryThrottling": object{"maxTokens": 100, "tokenRatio": 0.1},
	})
	if err != nil {
		panic(err) // unreachable: the value is made of strings and numbers
	}

	return string(config)
}

// repeatable lists the methods whose repetition changes nothing, by service.
func repeatable() map[string][]string {
	return map[string][]string{
		tidemarkv1.RecommendationService_ServiceDesc.ServiceName: {
			"Enqueue", "GetRecommendation", "ListRecommendations", "ListServices", "ReportScaling", "DeleteService",
			"GetObserveReport",
		},
		tidemarkv1.QueueService_ServiceDesc.ServiceName: {"GetQueueStatus", "ListQueueItems"},
	}
}
