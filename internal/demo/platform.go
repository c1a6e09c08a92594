package demo

import (
	"context"
	"sync"
	"time"

	"github.com/tidemark-project/tidemark/internal/demo/feed"
	"github.com/tidemark-project/tidemark/internal/demo/fleet"
	"github.com/tidemark-project/tidemark/recommender/size"
)

const (
	// platformTick is how often the platform looks for resizes that are due.
	platformTick = 250 * time.Millisecond
	// resizeTimeout is how long writing sizes may take.
	resizeTimeout = 10 * time.Second
)

// platform gives services the sizes that the agent is told, a while after it was told.
type platform struct {
	fleet *fleet.Fleet
	write func(ctx context.Context, at time.Time, allocations []feed.Allocation) error
	delay time.Duration

	mu        sync.Mutex // guards all below
	pending   map[string]resize
	followers map[string]chan<- size.Size
	total     int
}

// resize is a size that a service is to have.
type resize struct {
	to  size.Resources
	due time.Time
}

// hear takes in what the agent was told; the latest size of a service is the one that counts.
func (p *platform) hear(c change) {
	p.mu.Lock()
	defer p.mu.Unlock()

	if p.pending == nil {
		p.pending = make(map[string]resize)
	}

	p.pending[c.GetService()] = resize{
		to: size.Resources{
			CPUMillis: c.GetRecommended().GetCpuMillis(), MemoryBytes: c.GetRecommended().GetMemoryBytes(),
		},
		due: c.read.Add(p.delay),
	}
}

// follow has the next size of a service that comes into force sent to the channel, if it has room.
func (p *platform) follow(service string, next chan<- size.Size) {
	p.mu.Lock()
	defer p.mu.Unlock()

	if p.followers == nil {
		p.followers = make(map[string]chan<- size.Size)
	}

	p.followers[service] = next
}

// tell sends a new size to whoever follows the service.
func (p *platform) tell(service string, to size.Size) {
	p.mu.Lock()
	defer p.mu.Unlock()

	next, followed := p.followers[service]
	if !followed {
		return
	}

	delete(p.followers, service)

	select {
	case next <- to:
	default:
	}
}

// resized is how many resizes were carried out.
func (p *platform) resized() int {
	p.mu.Lock()
	defer p.mu.Unlock()

	return p.total
}

// run resizes services until ctx ends.
func (p *platform) run(ctx context.Context) {
	ticker := time.NewTicker(platformTick)
	defer ticker.Stop()

	for {
		select {
		case <-ticker.C:
			p.resizeDue(ctx)
		case <-ctx.Done():
			return
		}
	}
}

// resizeDue carries out what is due. What cannot be written down is tried again, and is not in force until it is.
func (p *platform) resizeDue(ctx context.Context) {
	due := p.takeDue()
	if len(due) == 0 {
		return
	}

	allocations := make([]feed.Allocation, 0, len(due))

	for service, r := range due {
		if i, ok := p.fleet.Find(service); ok {
			allocations = append(allocations, feed.Allocation{
				Service: service, Size: p.fleet.Allocation(i).With(r.to), Labels: p.fleet.Service(i).Labels,
			})
		}
	}

	ctx, cancel := context.WithTimeout(ctx, resizeTimeout)
	defer cancel()

	if err := p.write(ctx, time.Now(), allocations); err != nil {
		p.putBack(due)

		return
	}

	for _, a := range allocations {
		i, _ := p.fleet.Find(a.Service)
		p.fleet.Resize(i, a.Size.Resources())
		p.tell(a.Service, a.Size)
	}
}

// takeDue takes out what is due.
func (p *platform) takeDue() map[string]resize {
	p.mu.Lock()
	defer p.mu.Unlock()

	due := make(map[string]resize)

	for service, r := range p.pending {
		if !r.due.After(time.Now()) {
			due[service] = r
			delete(p.pending, service)
		}
	}

	p.total += len(due)

	return due
}

// putBack keeps for later what is still wanted.
func (p *platform) putBack(resizes map[string]resize) {
	p.mu.Lock()
	defer p.mu.Unlock()

	p.total -= len(resizes)

	for service, r := range resizes {
		if _, newer := p.pending[service]; !newer {
			p.pending[service] = r
		}
	}
}
