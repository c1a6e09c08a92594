package kubetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// hash is of a template, for the labels by which controllers tell apart the pods of one revision and the next.
func hash(template *corev1.PodTemplateSpec) (string, error) {
	encoded, err := json.Marshal(template)
	if err != nil {
		return "", fmt.Errorf("encode the template: %w", err)
	}
	sum := fnv.New64a()
	_, _ = sum.Write(encoded) // It never fails.
	return fmt.Sprintf("%016x", sum.Sum64()), nil
}

// podOf makes a pod from a template, bound to the node as if by the scheduler. The name may be empty, then it is
// generated from the owner's.
func podOf(template *corev1.PodTemplateSpec, owner metav1.OwnerReference, namespace, name string) *corev1.Pod {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace:       namespace,
			Name:            name,
			Labels:          maps.Clone(template.Labels),
			Annotations:     maps.Clone(template.Annotations),
			OwnerReferences: []metav1.OwnerReference{owner},
		},
		Spec: *template.Spec.DeepCopy(),
	}
	if name == "" {
		pod.GenerateName = owner.Name + "-"
	}
	pod.Spec.NodeName = NodeName
	return pod
}

// owned lists the pods that an owner controls, in the order of their names.
func (c *Cluster) owned(ctx context.Context, namespace string, owner metav1.Object) ([]corev1.Pod, error) {
	list, err := c.Client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list pods: %w", err)
	}
	var pods []corev1.Pod
	for _, pod := range list.Items {
		if metav1.IsControlledBy(&pod, owner) && pod.DeletionTimestamp == nil {
			pods = append(pods, pod)
		}
	}
	return pods, nil
}

// create makes a pod and starts it.
func (c *Cluster) create(ctx context.Context, pod *corev1.Pod) error {
	made, err := c.Client.CoreV1().Pods(pod.Namespace).Create(ctx, pod, metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("make a pod: %w", err)
	}
	return c.actuate(ctx, made.Namespace, made.Name)
}

// remove deletes pods at once, as the kubelet does when their containers have ended.
func (c *Cluster) remove(ctx context.Context, pods []corev1.Pod) error {
	var failed error
	now := metav1.DeleteOptions{GracePeriodSeconds: new(int64)}
	for _, pod := range pods {
		err := c.Client.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name, now)
		if !apierrors.IsNotFound(err) {
			failed = errors.Join(failed, err)
		}
	}
	if failed != nil {
		return fmt.Errorf("delete pods: %w", failed)
	}
	return nil
}

// isReady tells whether the pod's condition Ready is true.
func isReady(pod *corev1.Pod) bool {
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodReady {
			return condition.Status == corev1.ConditionTrue
		}
	}
	return false
}

func countReady(pods []corev1.Pod) int32 {
	ready := int32(0)
	for _, pod := range pods {
		if isReady(&pod) {
			ready++
		}
	}
	return ready
}

func countLabelled(pods []corev1.Pod, label, value string) int32 {
	matching := int32(0)
	for _, pod := range pods {
		if pod.Labels[label] == value {
			matching++
		}
	}
	return matching
}
