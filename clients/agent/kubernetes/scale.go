package kubernetes

import (
	"context"
	"fmt"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// scaleAttempts is how often the number of replicas is set while others change it, too.
const scaleAttempts = 5

// scaling is the subresource scale.
type scaling struct {
	APIVersion string            `json:"apiVersion"`
	Kind       string            `json:"kind"`
	Metadata   metav1.ObjectMeta `json:"metadata"`
	Spec       struct {
		Replicas int32 `json:"replicas"`
	} `json:"spec"`
}

// scale sets the number of replicas, and waits until there are as many: of new ones until they are ready.
func (c *change) scale(ctx context.Context) error {
	from, err := c.setReplicas(ctx)
	if err != nil || c.config.DryRun != nil {
		return err
	}

	err = await(ctx, c.api, c.workload.at(), func(now *workload) (bool, error) {
		now.kind = c.workload.kind
		c.workload = now

		there := now.Status.Replicas <= c.replicas
		if from < c.replicas {
			there = now.Status.ReadyReplicas >= c.replicas
		}

		return there && now.Status.ObservedGeneration >= now.Metadata.Generation, nil
	})
	if err != nil {
		return fmt.Errorf("wait for %d replicas (there are %d, %d of them ready): %w", c.replicas, c.workload.Status.Replicas,
			c.workload.Status.ReadyReplicas, err)
	}

	return nil
}

// setReplicas sets the number that is wanted, and returns what it was.
func (c *change) setReplicas(ctx context.Context) (from int32, err error) {
	where := c.workload.at()
	where.sub = "scale"

	for range scaleAttempts {
		var now scaling
		if err := c.api.get(ctx, where, nil, &now); err != nil {
			return 0, err
		}

		from = now.Spec.Replicas

		switch before := c.workload.replicas(); from {
		case c.replicas:
			return from, nil
		case 0:
			return 0, refuse("it was scaled to zero meanwhile; the agent wakes nothing that somebody has put to sleep")
		case before:
		default: // what comes first may be another now
			return 0, postpone(soon, "somebody else has scaled it from %d to %d replicas meanwhile", before, from)
		}

		// With its resourceVersion, by which the API server notices what others have changed since.
		now.Spec.Replicas = c.replicas

		if err = c.api.put(ctx, where, now); err == nil {
			c.logf(ctx, c, "scaled from %d to %d replicas", from, c.replicas)

			return from, nil
		}

		if !answered(err, http.StatusConflict) {
			return 0, err
		}
	}

	return 0, err
}
