package kubetest_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/tidemark-project/tidemark/internal/kubetest"
)

// onePod makes a StatefulSet with one pod, db-0, which runs.
func onePod(t *testing.T) (cluster *kubetest.Cluster, namespace string) {
	t.Helper()
	cluster = kubetest.Start(t)
	namespace = cluster.Namespace(t)
	statefulSet(t, cluster, namespace, 1, appsv1.StatefulSetUpdateStrategy{})
	cluster.PlayStatefulSet(t, namespace, "db")
	return cluster, namespace
}

// resize asks for other resources of the pod db-0.
func resize(t *testing.T, cluster *kubetest.Cluster, namespace, name, quantity string) {
	t.Helper()
	patch := []byte(`{"spec":{"containers":[{"name":"db","resources":{"requests":{"` + name + `":"` + quantity + `"}}}]}}`)
	_, err := cluster.Client.CoreV1().Pods(namespace).Patch(t.Context(), "db-0", types.StrategicMergePatchType, patch, metav1.PatchOptions{}, "resize")
	require.NoError(t, err)
}

func condition(pod *corev1.Pod, kind corev1.PodConditionType) *corev1.PodCondition {
	for i := range pod.Status.Conditions {
		if pod.Status.Conditions[i].Type == kind {
			return &pod.Status.Conditions[i]
		}
	}
	return nil
}

// has are the CPUs that the pod's container has, and those set aside for it.
func has(pod *corev1.Pod) (actual, allocated string) {
	status := pod.Status.ContainerStatuses[0]
	return status.Resources.Requests.Cpu().String(), status.AllocatedResources.Cpu().String()
}

func TestResizeOfAPod(t *testing.T) {
	cluster, namespace := onePod(t)
	resize(t, cluster, namespace, "cpu", "2")

	pod := cluster.PendResize(t, namespace, "db-0", corev1.PodReasonDeferred, "no room")
	pending := condition(pod, corev1.PodResizePending)
	require.NotNil(t, pending)
	require.Equal(t, corev1.PodReasonDeferred, pending.Reason)
	require.Equal(t, pod.Generation, pending.ObservedGeneration)
	actual, allocated := has(pod)
	require.Equal(t, []string{"500m", "500m"}, []string{actual, allocated})

	pod = cluster.BeginResize(t, namespace, "db-0")
	require.Nil(t, condition(pod, corev1.PodResizePending))
	require.NotNil(t, condition(pod, corev1.PodResizeInProgress))
	actual, allocated = has(pod)
	require.Equal(t, []string{"500m", "2"}, []string{actual, allocated})

	pod = cluster.Actuate(t, namespace, "db-0")
	require.Nil(t, condition(pod, corev1.PodResizeInProgress))
	require.Equal(t, pod.Generation, pod.Status.ObservedGeneration)
	actual, allocated = has(pod)
	require.Equal(t, []string{"2", "2"}, []string{actual, allocated})
	require.Zero(t, pod.Status.ContainerStatuses[0].RestartCount)
}

func TestResizeThatRestarts(t *testing.T) {
	cluster, namespace := onePod(t)
	resize(t, cluster, namespace, "memory", "2Gi")
	require.EqualValues(t, 1, cluster.Actuate(t, namespace, "db-0").Status.ContainerStatuses[0].RestartCount)
	require.EqualValues(t, 1, cluster.Actuate(t, namespace, "db-0").Status.ContainerStatuses[0].RestartCount, "nothing left to do")
}

func TestReadiness(t *testing.T) {
	cluster, namespace := onePod(t)
	for _, ready := range []bool{false, true} {
		pod := cluster.SetReady(t, namespace, "db-0", ready)
		require.Equal(t, ready, condition(pod, corev1.PodReady).Status == corev1.ConditionTrue)
		require.Equal(t, ready, pod.Status.ContainerStatuses[0].Ready)
		require.Len(t, cluster.PlayStatefulSet(t, namespace, "db"), 1)
		set, err := cluster.Client.AppsV1().StatefulSets(namespace).Get(t.Context(), "db", metav1.GetOptions{})
		require.NoError(t, err)
		require.Equal(t, ready, set.Status.ReadyReplicas == 1)
	}
}

func TestAutomatedNamespace(t *testing.T) {
	cluster := kubetest.Start(t)
	namespace := cluster.Namespace(t)
	cluster.Automate(t, namespace)
	statefulSet(t, cluster, namespace, 1, appsv1.StatefulSetUpdateStrategy{})
	var before types.UID
	becomes(t, cluster, namespace, func(pod *corev1.Pod) bool {
		before = pod.UID
		ready := condition(pod, corev1.PodReady)
		return ready != nil && ready.Status == corev1.ConditionTrue
	})
	resize(t, cluster, namespace, "cpu", "2")
	becomes(t, cluster, namespace, func(pod *corev1.Pod) bool {
		actual, _ := has(pod)
		return actual == "2"
	})
	require.NoError(t, cluster.Client.CoreV1().Pods(namespace).Delete(t.Context(), "db-0", metav1.DeleteOptions{}))
	becomes(t, cluster, namespace, func(pod *corev1.Pod) bool { return pod.UID != before })
}

// becomes waits until the pod db-0 is as wanted.
func becomes(t *testing.T, cluster *kubetest.Cluster, namespace string, wanted func(*corev1.Pod) bool) {
	t.Helper()
	require.Eventually(t, func() bool {
		pod, err := cluster.Client.CoreV1().Pods(namespace).Get(t.Context(), "db-0", metav1.GetOptions{})
		return err == nil && wanted(pod)
	}, 30*time.Second, 10*time.Millisecond)
}
