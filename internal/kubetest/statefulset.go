package kubetest

import (
	"context"
	"fmt"
	"strconv"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// PlayStatefulSet does all that the StatefulSet's controller would do in the end: it removes surplus pods and, unless
// the update strategy is OnDelete, those of an older template from the strategy's partition on; it makes what is
// missing and starts it; it writes the StatefulSet's status. It returns the pods in the order of their names.
func (c *Cluster) PlayStatefulSet(tb testing.TB, namespace, name string) []corev1.Pod {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), requestTimeout)
	defer cancel()
	pods, err := c.playStatefulSet(ctx, namespace, name)
	if err != nil {
		tb.Fatalf("play the controller of the StatefulSet %s/%s: %v", namespace, name, err)
	}
	return pods
}

func (c *Cluster) playStatefulSet(ctx context.Context, namespace, name string) ([]corev1.Pod, error) {
	set, err := c.Client.AppsV1().StatefulSets(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, fmt.Errorf("get it: %w", err)
	}
	sum, err := hash(&set.Spec.Template)
	if err != nil {
		return nil, err
	}
	revision := set.Name + "-" + sum
	pods, err := c.owned(ctx, namespace, set)
	if err != nil {
		return nil, err
	}
	surplus, have := setSurplus(set, pods, revision)
	if err := c.remove(ctx, surplus); err != nil {
		return nil, err
	}
	for ordinal := range int(*set.Spec.Replicas) {
		if have[ordinal] {
			continue
		}
		if err := c.create(ctx, setPod(set, ordinal, revision)); err != nil {
			return nil, err
		}
	}
	if pods, err = c.owned(ctx, namespace, set); err != nil {
		return nil, err
	}
	return pods, c.writeSetStatus(ctx, set, pods, revision)
}

// setSurplus returns the pods that the controller would delete, and the ordinals of those that it would keep.
func setSurplus(set *appsv1.StatefulSet, pods []corev1.Pod, revision string) (surplus []corev1.Pod, have map[int]bool) {
	have = make(map[int]bool, len(pods))
	partition := 0
	if rolling := set.Spec.UpdateStrategy.RollingUpdate; rolling != nil && rolling.Partition != nil {
		partition = int(*rolling.Partition)
	}
	replaces := set.Spec.UpdateStrategy.Type != appsv1.OnDeleteStatefulSetStrategyType
	for _, pod := range pods {
		ordinal, err := strconv.Atoi(pod.Labels[appsv1.PodIndexLabel])
		old := pod.Labels[appsv1.StatefulSetRevisionLabel] != revision
		if err != nil || ordinal >= int(*set.Spec.Replicas) || (replaces && old && ordinal >= partition) {
			surplus = append(surplus, pod)
			continue
		}
		have[ordinal] = true
	}
	return surplus, have
}

func setPod(set *appsv1.StatefulSet, ordinal int, revision string) *corev1.Pod {
	owner := *metav1.NewControllerRef(set, appsv1.SchemeGroupVersion.WithKind("StatefulSet"))
	pod := podOf(&set.Spec.Template, owner, set.Namespace, set.Name+"-"+strconv.Itoa(ordinal))
	if pod.Labels == nil {
		pod.Labels = make(map[string]string)
	}
	pod.Labels[appsv1.StatefulSetPodNameLabel] = pod.Name
	pod.Labels[appsv1.PodIndexLabel] = strconv.Itoa(ordinal)
	pod.Labels[appsv1.StatefulSetRevisionLabel] = revision
	return pod
}

func (c *Cluster) writeSetStatus(ctx context.Context, set *appsv1.StatefulSet, pods []corev1.Pod, revision string) error {
	status := appsv1.StatefulSetStatus{
		ObservedGeneration: set.Generation,
		Replicas:           int32(len(pods)), //nolint:gosec // A few.
		ReadyReplicas:      countReady(pods),
		UpdatedReplicas:    countLabelled(pods, appsv1.StatefulSetRevisionLabel, revision),
		CurrentRevision:    set.Status.CurrentRevision,
		UpdateRevision:     revision,
	}
	status.AvailableReplicas = status.ReadyReplicas
	if status.UpdatedReplicas == status.Replicas || status.CurrentRevision == "" {
		status.CurrentRevision = revision
	}
	status.CurrentReplicas = countLabelled(pods, appsv1.StatefulSetRevisionLabel, status.CurrentRevision)
	set.Status = status
	if _, err := c.Client.AppsV1().StatefulSets(set.Namespace).UpdateStatus(ctx, set, metav1.UpdateOptions{}); err != nil {
		return fmt.Errorf("write its status: %w", err)
	}
	return nil
}
