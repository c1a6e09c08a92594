package kubernetes

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/types"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// change is one attempt to give a service its size.
type change struct {
	*Actuator

	key        key
	revision   int64 // of the recommendation
	want       want
	replicas   int32 // 0: left alone
	seen       int32 // the replicas that there were for the recommendation; 0: not known
	disruption tidemarkv1.DisruptionClass

	workload  *workload
	container string             // the name of the one that is resized
	pods      []*pod             // those that are live, as last read
	tried     map[types.UID]bool // the pods that were changed in place
}

// begin finds what is to be changed.
func (a *Actuator) begin(ctx context.Context, recommendation *tidemarkv1.Recommendation) (*change, error) {
	service, err := parseKey(recommendation.GetService())
	if err != nil {
		return nil, refuse("%w", err)
	}

	if len(recommendation.GetPlan().GetChanges()) > 1 {
		return nil, refuse("the recommendation is for groups of replicas that differ, and those of a workload are all alike")
	}

	c := &change{
		Actuator: a, key: service, revision: recommendation.GetRevision(), want: wanted(recommendation.GetRecommended()),
		replicas: wantedReplicas(recommendation), seen: recommendation.GetAllocation().GetReplicas(),
		disruption: recommendation.GetDisruption(), tried: make(map[types.UID]bool),
	}

	// What a policy allows that does not say it.
	if c.disruption == tidemarkv1.DisruptionClass_DISRUPTION_CLASS_UNSPECIFIED {
		c.disruption = tidemarkv1.DisruptionClass_DISRUPTION_CLASS_ROLLING
	}

	if c.workload, err = a.find(ctx, service); err != nil {
		return nil, err
	}

	if c.container, err = chooseContainer(c.workload, a.config.Container); err != nil {
		return nil, refuse("%s: %w", c.workload, err)
	}

	return c, c.readPods(ctx)
}

// wantedReplicas returns how many replicas there are to be; 0 when their number is left alone. A recommendation that does
// not change it repeats the number it has seen, and somebody else may have changed that since.
func wantedReplicas(recommendation *tidemarkv1.Recommendation) int32 {
	gets := recommendation.GetRecommended().GetReplicas()
	if gets == recommendation.GetAllocation().GetReplicas() {
		return 0
	}

	return max(0, gets)
}

// make makes the change, in an order in which the capacity is never below both what it was and what it will be.
func (c *change) make(ctx context.Context) error {
	if err := c.owned(); err != nil {
		return err
	}

	if err := c.claim(); err != nil {
		return err
	}

	grows := c.replicas > c.workload.replicas()

	if c.settled() {
		return c.finish(ctx)
	}

	if err := c.guard(ctx); err != nil {
		return err
	}

	if grows && c.moreFirst() {
		if err := c.scale(ctx); err != nil {
			return err
		}

		return c.resize(ctx)
	}

	if err := c.resize(ctx); err != nil {
		return err
	}

	if c.replicas == 0 || c.replicas == c.workload.replicas() {
		return nil
	}

	if err := c.scale(ctx); err != nil {
		return err
	}

	// Replicas that are new have the size of the template.
	if grows && c.config.DryRun == nil {
		return c.resize(ctx)
	}

	return nil
}

// settled reports that every replica has the size, and their number is right.
func (c *change) settled() bool {
	wanted := c.workload.replicas()
	if c.replicas != 0 {
		wanted = c.replicas
	}

	return c.workload.replicas() == wanted && len(c.pods) == int(wanted) && c.sized()
}

// sized reports that there are replicas, and every one has the size.
func (c *change) sized() bool {
	return len(c.pods) > 0 && !slices.ContainsFunc(c.pods, func(p *pod) bool { return c.state(p) != actuated })
}

// allAsked reports that there are replicas, and the specs of all say the size.
func (c *change) allAsked() bool {
	return len(c.pods) > 0 && !slices.ContainsFunc(c.pods, func(p *pod) bool { return !c.asked(p) })
}

// moreFirst reports that replicas have to be added before the size of the others changes: because they get smaller, or
// because one that is alone may have to restart.
func (c *change) moreFirst() bool {
	if c.workload.replicas() == 1 && c.disruption == tidemarkv1.DisruptionClass_DISRUPTION_CLASS_ROLLING {
		return true
	}

	for _, each := range c.pods {
		has := each.Spec.container(c.container).Resources

		for _, name := range sizes {
			if to := c.want.of(name); to != 0 && to < amount(name, has.Requests[name]) {
				return true
			}
		}
	}

	return false
}

// resize gives every replica the CPU and the memory.
func (c *change) resize(ctx context.Context) error {
	if err := c.refresh(ctx); err != nil {
		return err
	}

	why := ""

	switch {
	case c.config.Mode == ModeTemplate:
	case !c.workload.rollingOut():
		var err error
		if why, err = c.inPlace(ctx); err != nil || why == "" {
			return err
		}

		if c.config.Mode == ModeInPlace {
			return refuse("its pods cannot be resized in place, and the agent must not do it otherwise: %s", why)
		}
	case c.config.Mode == ModeInPlace:
		return postpone(later, "a rollout of its template is under way")
	default: // the agent's own rollout goes on
	}

	if err := c.rollOut(ctx); err != nil {
		if why != "" {
			return fmt.Errorf("its pods cannot be resized in place (%s): %w", why, err)
		}

		return err
	}

	return nil
}

// size is what the service has now; nil when that cannot be found out. Where replicas differ, it has of each resource
// what every one has at least.
func (c *change) size(ctx context.Context) *tidemarkv1.Size {
	if c.readPods(ctx) != nil || len(c.pods) == 0 {
		return nil
	}

	var size tidemarkv1.Size

	for i, each := range c.pods {
		has := each.has(c.container)
		millis, bytes := amount(cpu, has.Requests[cpu]), amount(memory, has.Requests[memory])

		if i == 0 {
			size.CpuMillis, size.MemoryBytes = millis, bytes
		}

		size.CpuMillis, size.MemoryBytes = min(size.GetCpuMillis(), millis), min(size.GetMemoryBytes(), bytes)
		size.Replicas++
	}

	return &size
}
