package kubetest

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"
)

// Actuate says for the kubelet that it has done all that the pod's spec asks for: the pod runs and is ready, its
// containers have the resources of the spec, and no resize is pending or in progress. A container whose resize policy
// asks for a restart has been restarted if that resource changed.
func (c *Cluster) Actuate(tb testing.TB, namespace, pod string) *corev1.Pod {
	tb.Helper()
	return c.must(tb, namespace, pod, actuated)
}

// BeginResize says for the kubelet that it has set aside what the spec asks for, and that the containers do not have
// it yet.
func (c *Cluster) BeginResize(tb testing.TB, namespace, pod string) *corev1.Pod {
	tb.Helper()
	return c.must(tb, namespace, pod, func(pod *corev1.Pod) {
		for i := range pod.Status.ContainerStatuses {
			status := &pod.Status.ContainerStatuses[i]
			if container := containerOf(pod, status.Name); container != nil {
				status.AllocatedResources = container.Resources.Requests.DeepCopy()
			}
		}
		dropCondition(pod, corev1.PodResizePending)
		setCondition(pod, corev1.PodResizeInProgress, corev1.ConditionTrue, "", "")
	})
}

// PendResize says for the kubelet that it does not do what the spec asks for: with the reason corev1.PodReasonDeferred
// until there is room, with corev1.PodReasonInfeasible never on this node.
func (c *Cluster) PendResize(tb testing.TB, namespace, pod, reason, message string) *corev1.Pod {
	tb.Helper()
	return c.must(tb, namespace, pod, func(pod *corev1.Pod) {
		setCondition(pod, corev1.PodResizePending, corev1.ConditionTrue, reason, message)
	})
}

// SetReady says for the kubelet whether the pod is ready.
func (c *Cluster) SetReady(tb testing.TB, namespace, pod string, ready bool) *corev1.Pod {
	tb.Helper()
	return c.must(tb, namespace, pod, func(pod *corev1.Pod) { setReady(pod, ready) })
}

// must writes a pod's status, and fails the test if that is not possible.
func (c *Cluster) must(tb testing.TB, namespace, name string, change func(*corev1.Pod)) *corev1.Pod {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), requestTimeout)
	defer cancel()
	pod, err := c.writePodStatus(ctx, namespace, name, change)
	if err != nil {
		tb.Fatalf("play the kubelet of the pod %s/%s: %v", namespace, name, err)
	}
	return pod
}

func (c *Cluster) actuate(ctx context.Context, namespace, name string) error {
	_, err := c.writePodStatus(ctx, namespace, name, actuated)
	return err
}

// writePodStatus changes a pod's status. The change is made again if somebody else has written the pod meanwhile.
func (c *Cluster) writePodStatus(ctx context.Context, namespace, name string, change func(*corev1.Pod)) (written *corev1.Pod, err error) {
	pods := c.Client.CoreV1().Pods(namespace)
	err = retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		pod, err := pods.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err //nolint:wrapcheck // The retry must know it.
		}
		change(pod)
		pod.Status.ObservedGeneration = pod.Generation
		written, err = pods.UpdateStatus(ctx, pod, metav1.UpdateOptions{})
		return err //nolint:wrapcheck // The retry must know it.
	})
	if err != nil {
		return nil, fmt.Errorf("write the status of the pod: %w", err)
	}
	return written, nil
}

// actuated is what the kubelet reports of a pod that is as its spec says.
func actuated(pod *corev1.Pod) {
	before := pod.Status.ContainerStatuses
	statuses := make([]corev1.ContainerStatus, 0, len(pod.Spec.Containers))
	for _, container := range pod.Spec.Containers {
		old := slices.IndexFunc(before, func(status corev1.ContainerStatus) bool { return status.Name == container.Name })
		status := corev1.ContainerStatus{Name: container.Name, Image: container.Image, ImageID: container.Image}
		if old >= 0 {
			status = before[old]
			if restarts(&container, status.Resources) {
				status.RestartCount++
			}
		}
		started := true
		status.Ready, status.Started = true, &started
		if status.State.Running == nil {
			status.State = corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.Now()}}
		}
		status.AllocatedResources = container.Resources.Requests.DeepCopy()
		status.Resources = container.Resources.DeepCopy()
		statuses = append(statuses, status)
	}
	pod.Status.ContainerStatuses = statuses
	pod.Status.Phase = corev1.PodRunning
	if pod.Status.StartTime == nil {
		now := metav1.Now()
		pod.Status.StartTime = &now
	}
	dropCondition(pod, corev1.PodResizePending)
	dropCondition(pod, corev1.PodResizeInProgress)
	setCondition(pod, corev1.PodScheduled, corev1.ConditionTrue, "", "")
	setCondition(pod, corev1.PodInitialized, corev1.ConditionTrue, "", "")
	setReady(pod, true)
}

// restarts tells whether a container is restarted to get from the resources that it has to those of its spec.
func restarts(container *corev1.Container, has *corev1.ResourceRequirements) bool {
	if has == nil {
		return false
	}
	for _, policy := range container.ResizePolicy {
		if policy.RestartPolicy != corev1.RestartContainer {
			continue
		}
		request, limit := container.Resources.Requests[policy.ResourceName], container.Resources.Limits[policy.ResourceName]
		if request.Cmp(has.Requests[policy.ResourceName]) != 0 || limit.Cmp(has.Limits[policy.ResourceName]) != 0 {
			return true
		}
	}
	return false
}

func setReady(pod *corev1.Pod, ready bool) {
	status := corev1.ConditionFalse
	if ready {
		status = corev1.ConditionTrue
	}
	for i := range pod.Status.ContainerStatuses {
		pod.Status.ContainerStatuses[i].Ready = ready
	}
	setCondition(pod, corev1.ContainersReady, status, "", "")
	setCondition(pod, corev1.PodReady, status, "", "")
}

func containerOf(pod *corev1.Pod, name string) *corev1.Container {
	for i := range pod.Spec.Containers {
		if pod.Spec.Containers[i].Name == name {
			return &pod.Spec.Containers[i]
		}
	}
	return nil
}

func setCondition(pod *corev1.Pod, kind corev1.PodConditionType, status corev1.ConditionStatus, reason, message string) {
	condition := corev1.PodCondition{
		Type: kind, Status: status, Reason: reason, Message: message,
		ObservedGeneration: pod.Generation, LastTransitionTime: metav1.NewTime(time.Now()),
	}
	at := slices.IndexFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool { return c.Type == kind })
	if at < 0 {
		pod.Status.Conditions = append(pod.Status.Conditions, condition)
		return
	}
	if pod.Status.Conditions[at].Status == status {
		condition.LastTransitionTime = pod.Status.Conditions[at].LastTransitionTime
	}
	pod.Status.Conditions[at] = condition
}

func dropCondition(pod *corev1.Pod, kind corev1.PodConditionType) {
	pod.Status.Conditions = slices.DeleteFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool { return c.Type == kind })
}
