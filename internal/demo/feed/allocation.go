package feed

import (
	"context"
	"fmt"
	"time"

	"github.com/tidemark-project/tidemark/recommender/size"
)

// Allocation is one row of the inventory: the size of a service from now on.
type Allocation struct {
	// Service is the key.
	Service string
	// Size is what it has.
	Size size.Size
	// Labels are the service's.
	Labels map[string]string
}

// Allocations writes sizes into the inventory in one insert; at is when they came into force.
func (w *Writer) Allocations(ctx context.Context, at time.Time, allocations []Allocation) error {
	if len(allocations) == 0 {
		return nil
	}

	var (
		services []string
		millis   []int64
		bytes    []int64
		replicas []int32
		labels   []map[string]string
		times    []time.Time
	)

	for _, a := range allocations {
		services = append(services, a.Service)
		millis = append(millis, a.Size.CPUMillis)
		bytes = append(bytes, a.Size.MemoryBytes)
		replicas = append(replicas, a.Size.Replicas)
		labels = append(labels, a.Labels)
		times = append(times, at)
	}

	err := w.insert(ctx, w.names.Allocations, "service, cpu_millis, memory_bytes, replicas, labels, updated_at",
		services, millis, bytes, replicas, labels, times)
	if err != nil {
		return fmt.Errorf("insert allocations: %w", err)
	}

	return nil
}
