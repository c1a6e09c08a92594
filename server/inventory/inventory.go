// Package inventory keeps the list of the services that exist, so that asking for it costs nothing and works while the
// usage store is away.
package inventory

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// readTimeout keeps a read that hangs from being the last one.
const readTimeout = time.Minute

// Lister reads the list from where it is kept.
type Lister interface {
	// List returns every service once, in any order.
	List(ctx context.Context) ([]*tidemarkv1.Service, error)
}

// Cache holds the latest list.
type Cache struct {
	lister   Lister
	interval time.Duration
	logger   *slog.Logger

	mu       sync.RWMutex // guards all below
	services []*tidemarkv1.Service
	read     time.Time
	absence  absence
}

// New returns a cache that is empty until Run has read the list once.
func New(lister Lister, interval time.Duration, logger *slog.Logger) *Cache {
	return &Cache{lister: lister, interval: interval, logger: logger}
}

// Run reads the list at every interval until ctx ends. A failed read keeps the list before.
func (c *Cache) Run(ctx context.Context) error {
	ticker := time.NewTicker(c.interval)
	defer ticker.Stop()

	failing := false

	for {
		err := c.refresh(ctx)

		switch {
		case ctx.Err() != nil:
			return fmt.Errorf("follow the inventory: %w", context.Cause(ctx))
		case err != nil && !failing:
			c.logger.WarnContext(ctx, "inventory cannot be read; keeping the last one", "error", err)
		case err == nil && failing:
			c.logger.InfoContext(ctx, "inventory can be read again")
		}

		if failing = err != nil; failing {
			c.blind()
		}

		select {
		case <-ticker.C:
		case <-ctx.Done():
			return fmt.Errorf("follow the inventory: %w", context.Cause(ctx))
		}
	}
}

// refresh reads the list once.
func (c *Cache) refresh(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()

	listed, err := c.lister.List(ctx)
	if err != nil {
		return fmt.Errorf("read the inventory: %w", err)
	}

	services := slices.SortedFunc(slices.Values(listed), func(a, b *tidemarkv1.Service) int {
		return strings.Compare(a.GetService(), b.GetService())
	})

	c.mu.Lock()
	defer c.mu.Unlock()

	c.services, c.read = services, time.Now()
	c.absence.compare(services, c.read)

	return nil
}

// blind keeps in mind that the latest read failed.
func (c *Cache) blind() {
	c.mu.Lock()
	defer c.mu.Unlock()

	c.absence.blind = true
}

// Labels returns the latest labels of a service; nil when it is not known. The map is shared; do not change it.
func (c *Cache) Labels(service string) map[string]string {
	c.mu.RLock()
	services := c.services
	c.mu.RUnlock()

	at, found := find(services, service)
	if !found {
		return nil
	}

	return services[at].GetLabels()
}

// find returns where a service is in a list that is in the order of keys, or would be.
func find(services []*tidemarkv1.Service, service string) (at int, found bool) {
	return slices.BinarySearchFunc(services, service, func(s *tidemarkv1.Service, key string) int {
		return strings.Compare(s.GetService(), key)
	})
}

// Query selects services of the list.
type Query struct {
	// Tenant restricts to one tenant; empty means all.
	Tenant string
	// Labels are all required.
	Labels map[string]string
	// After is the key to go on after.
	After string
	// Limit is how many at most.
	Limit int
}

// Page returns services in the order of keys, whether there are more, and when the list was read; not set when never.
func (c *Cache) Page(q Query) (page []*tidemarkv1.Service, more bool, read *timestamppb.Timestamp) {
	c.mu.RLock()
	services, at := c.services, c.read
	c.mu.RUnlock()

	if !at.IsZero() {
		read = timestamppb.New(at)
	}

	from, found := find(services, q.After)
	if found {
		from++
	}

	for _, s := range services[from:] {
		if !q.matches(s) {
			continue
		}

		if len(page) == q.Limit {
			return page, true, read
		}

		page = append(page, s)
	}

	return page, false, read
}

func (q Query) matches(s *tidemarkv1.Service) bool {
	if q.Tenant != "" && !strings.HasPrefix(s.GetService(), q.Tenant+"/") {
		return false
	}

	for name, value := range q.Labels {
		if got, has := s.GetLabels()[name]; !has || got != value {
			return false
		}
	}

	return true
}
