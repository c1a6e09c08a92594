package kubetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// Automate plays all controllers and kubelets of a namespace until the test ends: whatever a workload or a pod asks
// for happens at once.
func (c *Cluster) Automate(tb testing.TB, namespace string) {
	tb.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	changes, stop, err := c.watch(ctx, namespace)
	if err != nil {
		cancel()
		tb.Fatalf("watch the namespace %s: %v", namespace, err)
	}
	var playing sync.WaitGroup
	playing.Go(func() {
		for range changes {
			if err := c.playAll(ctx, namespace); err != nil && ctx.Err() == nil {
				tb.Errorf("play what runs in the namespace %s: %v", namespace, err)
				return
			}
		}
	})
	tb.Cleanup(func() {
		cancel()
		stop()
		playing.Wait()
	})
}

// watch returns a channel that has a value whenever something in the namespace has changed since the last one was
// taken, and what closes it when the context has ended.
func (c *Cluster) watch(ctx context.Context, namespace string) (changes <-chan struct{}, stop func(), err error) {
	all := metav1.ListOptions{}
	pods, podsErr := c.Client.CoreV1().Pods(namespace).Watch(ctx, all)
	sets, setsErr := c.Client.AppsV1().StatefulSets(namespace).Watch(ctx, all)
	deployments, deploymentsErr := c.Client.AppsV1().Deployments(namespace).Watch(ctx, all)
	watches := []watch.Interface{pods, sets, deployments}
	if err := errors.Join(podsErr, setsErr, deploymentsErr); err != nil {
		return nil, nil, err
	}
	changed := make(chan struct{}, 1)
	var forwarding sync.WaitGroup
	for _, watched := range watches {
		forwarding.Go(func() {
			for range watched.ResultChan() {
				select {
				case changed <- struct{}{}:
				default:
				}
			}
		})
	}
	return changed, func() {
		for _, watched := range watches {
			watched.Stop()
		}
		forwarding.Wait()
		close(changed)
	}, nil
}

// playAll does what there is to do in a namespace now. What somebody else changes at the same time is left to the
// next turn, which that change brings about.
func (c *Cluster) playAll(ctx context.Context, namespace string) error {
	pods, err := c.Client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("list pods: %w", err)
	}
	sets, err := c.Client.AppsV1().StatefulSets(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("list StatefulSets: %w", err)
	}
	deployments, err := c.Client.AppsV1().Deployments(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("list Deployments: %w", err)
	}
	for _, pod := range pods.Items {
		switch {
		case pod.DeletionTimestamp != nil:
			err = errors.Join(err, unlessRaced(c.remove(ctx, []corev1.Pod{pod})))
		case pod.Status.ObservedGeneration != pod.Generation:
			err = errors.Join(err, unlessRaced(c.actuate(ctx, namespace, pod.Name)))
		}
	}
	for _, set := range sets.Items {
		_, played := c.playStatefulSet(ctx, namespace, set.Name)
		err = errors.Join(err, unlessRaced(played))
	}
	for _, deployment := range deployments.Items {
		_, played := c.playDeployment(ctx, namespace, deployment.Name)
		err = errors.Join(err, unlessRaced(played))
	}
	return err
}

// unlessRaced drops an error that only says that somebody else was faster.
func unlessRaced(err error) error {
	if apierrors.IsConflict(err) || apierrors.IsNotFound(err) || apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}
