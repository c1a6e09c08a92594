package fleet

import (
	"sync"
	"time"

	"github.com/tidemark-project/tidemark/internal/demo/workload"
	"github.com/tidemark-project/tidemark/recommender/size"
)

// Fleet is services whose sizes change. It is safe for concurrent use.
type Fleet struct {
	services []Service
	index    map[string]int

	mu          sync.RWMutex // guards all below
	allocations []size.Size
	surges      map[int]surge
	claimed     map[int]bool
}

// New returns a fleet in which every service has the size of its start.
func New(services []Service) *Fleet {
	f := &Fleet{
		services:    services,
		index:       make(map[string]int, len(services)),
		allocations: make([]size.Size, len(services)),
		surges:      make(map[int]surge),
		claimed:     make(map[int]bool),
	}

	for i, s := range services {
		f.index[s.Key] = i
		f.allocations[i] = s.Allocation
	}

	return f
}

// Len returns the number of services.
func (f *Fleet) Len() int { return len(f.services) }

// Service returns a service by its place.
func (f *Fleet) Service(i int) *Service { return &f.services[i] }

// Find returns the place of a service; false when it is none of this fleet.
func (f *Fleet) Find(key string) (int, bool) {
	i, ok := f.index[key]

	return i, ok
}

// Allocation returns the size a service has now.
func (f *Fleet) Allocation(i int) size.Size {
	f.mu.RLock()
	defer f.mu.RUnlock()

	return f.allocations[i]
}

// Resize gives a service another size. The number of its replicas stays.
func (f *Fleet) Resize(i int, resources size.Resources) size.Size {
	f.mu.Lock()
	defer f.mu.Unlock()

	f.allocations[i] = f.allocations[i].With(resources)

	return f.allocations[i]
}

// Claim has the scraper pass over a service, since somebody else reports its use, until Release.
func (f *Fleet) Claim(i int) {
	f.mu.Lock()
	defer f.mu.Unlock()

	f.claimed[i] = true
}

// Release ends Claim.
func (f *Fleet) Release(i int) {
	f.mu.Lock()
	defer f.mu.Unlock()

	delete(f.claimed, i)
}

// Claimed reports that the service is claimed.
func (f *Fleet) Claimed(i int) bool {
	f.mu.RLock()
	defer f.mu.RUnlock()

	return f.claimed[i]
}

// Use returns what a replica uses at a moment, under the size the service has now.
func (f *Fleet) Use(i, replica int, at time.Time) workload.Use {
	demand := f.services[i].Demand(replica, at)

	f.mu.RLock()
	allocation := f.allocations[i]
	surge, surging := f.surges[i]
	f.mu.RUnlock()

	if surging {
		demand = surge.apply(demand, at)
	}

	return demand.Under(allocation)
}
