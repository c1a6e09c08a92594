package demo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/tidemark-project/tidemark/clients/tidemark"
	"github.com/tidemark-project/tidemark/internal/demo/fleet"
	"github.com/tidemark-project/tidemark/internal/demo/workload"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/sources/cron"
)

const (
	// minHeroMemory and maxHeroMemory bound the memory of the service that the story is about, in bytes: large enough for
	// a step to show, small enough to grow by half within any bounds.
	minHeroMemory, maxHeroMemory = 1 << 30, 64 << 30
	// calm is how far off the next evaluation without a signal must be at least, beyond a poll.
	calm = fleet.SurgeFull + 5*time.Second
	// longest is how long an evaluation may take: what was evaluated in that time after its slot may have been so for another
	// cause, and be evaluated for the slot now.
	longest = 10 * time.Second
	// maxHeroUse is the share of its memory that it uses at most before the story.
	maxHeroUse = 0.9
	// askAgain is how many services are evaluated again at once when none is settled.
	askAgain = 50
)

// casting finds the service that the story is about: one that is content with its size, and whose next evaluation without
// a signal is far off, so that what happens to it is due to the signal.
type casting struct {
	client      *tidemark.Client
	fleet       *fleet.Fleet
	sweepPeriod time.Duration
	// pollInterval is how long a signal may lie before it is seen.
	pollInterval time.Duration
	canary       string
}

// find returns the place of a service in the fleet. When none is content with its size yet, some are evaluated again.
func (c *casting) find(ctx context.Context) (int, error) {
	found := 0

	err := waitUntil(ctx, "some service is content with its size and not about to be evaluated", func(ctx context.Context) error {
		seen, err := survey(ctx, c.client)
		if err != nil {
			return err
		}

		if !c.possible() {
			return hopelessError{errNobody}
		}

		content := c.content(seen)
		if len(content) == 0 {
			return errors.Join(errors.New("none is content"), c.evaluateAgain(ctx))
		}

		settled := slices.DeleteFunc(content, func(p part) bool { return !c.settled(p) })
		if len(settled) == 0 {
			return errors.New("all are about to be evaluated")
		}

		found = slices.MaxFunc(settled, c.compare).service

		return nil
	})

	return found, err
}

// part is a service that may take part.
type part struct {
	service   int
	evaluated time.Time
}

// content are the services that have room in their memory and are content with their size.
func (c *casting) content(seen picture) []part {
	var parts []part

	for _, r := range seen.recommendations {
		i, known := c.fleet.Find(r.GetService())
		if known && r.GetDirection() == tidemarkv1.Direction_DIRECTION_NONE && r.GetFailure() == nil && c.hasRoom(i) &&
			r.GetAllocation().GetMemoryBytes() == c.fleet.Allocation(i).MemoryBytes {
			parts = append(parts, part{service: i, evaluated: r.GetEvaluateTime().AsTime()})
		}
	}

	return parts
}

// settled reports that the service was evaluated since its latest slot, and that the next one is not near.
func (c *casting) settled(p part) bool {
	untilNext := c.untilSwept(p.service)
	sinceSlot := c.sweepPeriod - untilNext
	slot := time.Now().Add(-sinceSlot)

	return untilNext > calm+c.pollInterval && sinceSlot > longest && p.evaluated.After(slot)
}

// errNobody says that no service could take part, now or later.
var errNobody = errors.New("no service of the fleet has a known use of memory and 1 to 64 GiB with room in it, so none can run out of it")

// possible reports that there is a service that would do, content or not.
func (c *casting) possible() bool {
	for i := range c.fleet.Len() {
		if c.hasRoom(i) {
			return true
		}
	}

	return false
}

// hasRoom reports that the service's memory is known, of a middling size, and not full.
func (c *casting) hasRoom(i int) bool {
	s, limit := c.fleet.Service(i), float64(c.fleet.Allocation(i).MemoryBytes)
	if limit < minHeroMemory || limit > maxHeroMemory || s.Key == c.canary {
		return false
	}

	for replica := range s.Replicas() {
		// Written so that NaN is no room.
		if use := c.fleet.Use(i, replica, time.Now()); !(use.ResidentBytes < maxHeroUse*limit) {
			return false
		}
	}

	return true
}

// compare prefers steady services with several replicas, and then those whose next evaluation is far off.
func (c *casting) compare(a, b part) int {
	return cmp.Or(
		cmp.Compare(c.merit(a.service), c.merit(b.service)),
		cmp.Compare(c.untilSwept(a.service), c.untilSwept(b.service)),
	)
}

func (c *casting) merit(i int) int {
	merit := 0

	if s := c.fleet.Service(i); s.Kind == string(workload.Flat) {
		merit += 2
	}

	if c.fleet.Allocation(i).Replicas > 1 {
		merit++
	}

	return merit
}

// untilSwept is how long it takes until the cron source has the service evaluated again.
func (c *casting) untilSwept(i int) time.Duration {
	into := time.Duration(time.Now().UnixNano()) % c.sweepPeriod
	slot := cron.Slot(c.fleet.Service(i).Key, c.sweepPeriod)

	return (slot - into + c.sweepPeriod) % c.sweepPeriod
}

// evaluateAgain asks for what the next sweep would bring: the sizes may have changed since the last one.
func (c *casting) evaluateAgain(ctx context.Context) error {
	var requests []*tidemarkv1.EnqueueRequest

	for i := range c.fleet.Len() {
		if c.hasRoom(i) && len(requests) < askAgain {
			requests = append(requests, &tidemarkv1.EnqueueRequest{Service: c.fleet.Service(i).Key, Source: "demo"})
		}
	}

	if _, err := c.client.BatchEnqueue(ctx, requests); err != nil {
		return fmt.Errorf("have services evaluated again: %w", err)
	}

	return nil
}
