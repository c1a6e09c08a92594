package recommender

import (
	"time"

	"github.com/tidemark-project/tidemark/recommender/size"
)

// next returns what is known of the changes once an allocation was seen. A change between two evaluations counts as made
// when the second one sees it. The first sight of a service is no change.
func (s Scaling) next(allocation size.Size, now time.Time) Scaling {
	before := s.Allocation
	s.Allocation = allocation

	if !before.Resources().Known() {
		return s
	}

	if before.Replicas == 0 || allocation.Replicas == 0 {
		before.Replicas = allocation.Replicas
	}

	if allocation.CPUMillis > before.CPUMillis {
		s.CPUUpTime = now
	}

	if allocation.MemoryBytes > before.MemoryBytes {
		s.MemoryUpTime = now
	}

	if allocation.CPUMillis > before.CPUMillis || allocation.MemoryBytes > before.MemoryBytes ||
		allocation.Replicas > before.Replicas {
		s.UpTime = now
	}

	if allocation.CPUMillis < before.CPUMillis || allocation.MemoryBytes < before.MemoryBytes ||
		allocation.Replicas < before.Replicas {
		s.DownTime = now
	}

	return s
}

// Within reports that a change lies less than the given time back. A time from the future, which a wrong clock has left
// behind, holds nothing up for longer than that either.
func Within(change, now time.Time, span time.Duration) bool {
	if change.IsZero() {
		return false
	}

	age := now.Sub(change)

	return age < span && age > -span
}
