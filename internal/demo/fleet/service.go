package fleet

import (
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/tidemark-project/tidemark/internal/demo/workload"
	"github.com/tidemark-project/tidemark/recommender/size"
)

// Service is one service of the fleet, made up or recorded.
type Service struct {
	// Key is "tenant/name".
	Key string
	// Kind says in a word what it is, such as the class of its workload.
	Kind string
	// Labels are those of the inventory.
	Labels map[string]string
	// Allocation is the size it has at the start.
	Allocation size.Size
	// Samples yields the moments from one time up to another at which its history was measured, in order.
	Samples func(from, to time.Time) iter.Seq[time.Time]
	// Demand returns what a replica, counted from 0, wants at a moment. What is not known is NaN.
	Demand func(replica int, at time.Time) workload.Demand
}

// Replicas are the names of the service's replicas, as a scraper sees them.
func (s *Service) Replicas() []string {
	_, name, _ := strings.Cut(s.Key, "/")
	names := make([]string, s.Allocation.Replicas)

	for i := range names {
		names[i] = fmt.Sprintf("%s-%d", name, i)
	}

	return names
}
