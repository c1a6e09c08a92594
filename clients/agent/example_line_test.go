package agent_test

import (
	"fmt"

	"github.com/tidemark-project/tidemark/clients/agent"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

func ExampleLine() {
	fmt.Println(agent.Line(exampleRecommendation()))
	// Output: prod/orders-db  up  1 core -> 1.5 cores, 4Gi -> 8Gi, 3 replicas  rev 1
}

func ExampleDirectionName() {
	fmt.Println(agent.DirectionName(tidemarkv1.Direction_DIRECTION_DOWN), agent.DirectionName(tidemarkv1.Direction_DIRECTION_NONE))
	// Output: down same
}

func ExampleReasonNames() {
	fmt.Println(agent.ReasonNames([]tidemarkv1.Reason{tidemarkv1.Reason_REASON_CPU_ABOVE_BAND}))
	// Output: [cpu above band]
}

func ExampleActionable() {
	r := exampleRecommendation()
	fmt.Println(agent.Actionable(r), agent.ObserveOnly(r))

	r.Mode = tidemarkv1.Mode_MODE_OBSERVE_ONLY
	fmt.Println(agent.Actionable(r), agent.ObserveOnly(r))
	// Output:
	// true false
	// false true
}

func ExampleObserveOnly() {
	r := exampleRecommendation()
	r.Mode = tidemarkv1.Mode_MODE_OBSERVE_ONLY

	if agent.ObserveOnly(r) {
		fmt.Println("only to be looked at:", agent.Line(r))
	}
	// Output: only to be looked at: prod/orders-db  up  1 core -> 1.5 cores, 4Gi -> 8Gi, 3 replicas  [observe only]  rev 1
}
