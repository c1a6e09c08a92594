package agent_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/tidemark-project/tidemark/clients/agent"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// A program is told of each recommendation, and says by its exit status what became of it.
func ExampleNewExec() {
	resize, err := agent.NewExec(agent.ExecConfig{
		Command: []string{"sh", "-c", `echo "no room for $TIDEMARK_SERVICE to go $TIDEMARK_DIRECTION" >&2; exit 1`},
	})
	if err != nil {
		fmt.Println(err)

		return
	}

	fmt.Println(resize.Apply(context.Background(), exampleRecommendation()))
	// Output: exec: exit status 1: no room for prod/orders-db to go UP
}

// The agent takes the exit status for an answer: 75 is "try again".
func ExampleNewExec_again() {
	dir, err := os.MkdirTemp("", "tidemark-example-")
	if err != nil {
		fmt.Println(err)

		return
	}
	defer os.RemoveAll(dir) //nolint:errcheck // it is a temporary one

	resize, err := agent.NewExec(agent.ExecConfig{
		Command: []string{"sh", "-c", `mkdir first && { echo "another resize is under way" >&2; exit 75; }; exit 0`},
		Dir:     dir,
		Timeout: 10 * time.Second,
	})
	if err != nil {
		fmt.Println(err)

		return
	}

	actWith(resize)
	// Output:
	// prod/orders-db failed exec: exit status 75: another resize is under way
	// prod/orders-db applied
}

func ExampleNewPrint() {
	err := agent.NewPrint(os.Stdout, false).Apply(context.Background(), exampleRecommendation())
	if err != nil {
		fmt.Println(err)
	}
	// Output: prod/orders-db  up  1 core -> 1.5 cores, 4Gi -> 8Gi, 3 replicas  rev 1
}

// Lines for other programs.
func ExampleNewPrint_json() {
	lines := agent.NewPrint(os.Stdout, true)

	if err := lines.Apply(context.Background(), &tidemarkv1.Recommendation{Service: "prod/orders-db", Revision: 7}); err != nil {
		fmt.Println(err)
	}
	// Output: {"service":"prod/orders-db","revision":"7"}
}

func ExampleActuatorFunc() {
	actWith(agent.ActuatorFunc(func(_ context.Context, r *tidemarkv1.Recommendation) error {
		fmt.Println("resizing", r.GetService(), "to", r.GetRecommended().GetReplicas(), "replicas")

		return nil
	}))
	// Output:
	// resizing prod/orders-db to 3 replicas
	// prod/orders-db applied
}

// catalogue is an actuator that knows how large a service has become: the size that was asked for, or the next larger one
// that can be had.
type catalogue struct{}

// Apply implements agent.Actuator.
func (c catalogue) Apply(ctx context.Context, r *tidemarkv1.Recommendation) error {
	_, err := c.Resize(ctx, r)

	return err
}

// Resize implements agent.Resizer.
func (catalogue) Resize(_ context.Context, r *tidemarkv1.Recommendation) (*tidemarkv1.Size, error) {
	return &tidemarkv1.Size{CpuMillis: 2000, MemoryBytes: 8 << 30, Replicas: r.GetRecommended().GetReplicas()}, nil
}

func ExampleResizer() {
	actWith(catalogue{})
	// Output: prod/orders-db applied, now 2 cores, 8Gi, 3 replicas
}

// What would fail again and again is refused.
func ExamplePermanent() {
	actWith(agent.ActuatorFunc(func(context.Context, *tidemarkv1.Recommendation) error {
		return agent.Permanent(errors.New("no machine has that much memory"))
	}))
	// Output: prod/orders-db refused no machine has that much memory
}

// Whoever knows when the next attempt is worth it says so.
func ExampleRetryAfter() {
	attempts := 0

	actWith(agent.ActuatorFunc(func(context.Context, *tidemarkv1.Recommendation) error {
		if attempts++; attempts == 1 {
			return agent.RetryAfter(errors.New("a backup is running"), 50*time.Millisecond)
		}

		return nil
	}))
	// Output:
	// prod/orders-db failed a backup is running
	// prod/orders-db applied
}

// What only has to wait is not reported as a failure.
func ExampleDeferred() {
	attempts := 0

	actWith(agent.ActuatorFunc(func(context.Context, *tidemarkv1.Recommendation) error {
		if attempts++; attempts == 1 {
			return agent.Deferred(errors.New("its cluster is being upgraded"), 50*time.Millisecond)
		}

		return nil
	}))
	// Output:
	// prod/orders-db deferred its cluster is being upgraded
	// prod/orders-db applied
}
