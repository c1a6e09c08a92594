package kubetest_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/tidemark-project/tidemark/internal/kubetest"
)

var labels = map[string]string{"app": "db"}

func template(cpu string) corev1.PodTemplateSpec {
	return corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: labels},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{
			Name:  "db",
			Image: "db:1",
			Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
				corev1.ResourceCPU:    resource.MustParse(cpu),
				corev1.ResourceMemory: resource.MustParse("1Gi"),
			}},
			ResizePolicy: []corev1.ContainerResizePolicy{
				{ResourceName: corev1.ResourceCPU, RestartPolicy: corev1.NotRequired},
				{ResourceName: corev1.ResourceMemory, RestartPolicy: corev1.RestartContainer},
			},
		}}},
	}
}

// statefulSet makes one, and the pods of it.
func statefulSet(t *testing.T, cluster *kubetest.Cluster, namespace string, replicas int32, strategy appsv1.StatefulSetUpdateStrategy) *appsv1.StatefulSet {
	t.Helper()
	set, err := cluster.Client.AppsV1().StatefulSets(namespace).Create(t.Context(), &appsv1.StatefulSet{
		ObjectMeta: metav1.ObjectMeta{Name: "db"},
		Spec: appsv1.StatefulSetSpec{
			Replicas:       &replicas,
			Selector:       &metav1.LabelSelector{MatchLabels: labels},
			Template:       template("500m"),
			UpdateStrategy: strategy,
		},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	return set
}

// changeSet changes the spec of the StatefulSet.
func changeSet(t *testing.T, cluster *kubetest.Cluster, namespace string, change func(*appsv1.StatefulSetSpec)) {
	t.Helper()
	sets := cluster.Client.AppsV1().StatefulSets(namespace)
	set, err := sets.Get(t.Context(), "db", metav1.GetOptions{})
	require.NoError(t, err)
	change(&set.Spec)
	_, err = sets.Update(t.Context(), set, metav1.UpdateOptions{})
	require.NoError(t, err)
}

// cpus are the requests of the pods, in the order of their names.
func cpus(pods []corev1.Pod) []string {
	requests := make([]string, len(pods))
	for i, pod := range pods {
		requests[i] = pod.Spec.Containers[0].Resources.Requests.Cpu().String()
	}
	return requests
}

func TestStatefulSetIsRolledOut(t *testing.T) {
	cluster := kubetest.Start(t)
	namespace := cluster.Namespace(t)
	set := statefulSet(t, cluster, namespace, 3, appsv1.StatefulSetUpdateStrategy{})
	pods := cluster.PlayStatefulSet(t, namespace, "db")
	require.Len(t, pods, 3)
	require.Equal(t, "db-2", pods[2].Name)
	require.True(t, metav1.IsControlledBy(&pods[2], set))

	changeSet(t, cluster, namespace, func(spec *appsv1.StatefulSetSpec) {
		spec.Template, *spec.Replicas = template("2"), 2
	})
	before, err := cluster.Client.AppsV1().StatefulSets(namespace).Get(t.Context(), "db", metav1.GetOptions{})
	require.NoError(t, err)
	require.Less(t, before.Status.ObservedGeneration, before.Generation, "before the controller has seen it")

	require.Equal(t, []string{"2", "2"}, cpus(cluster.PlayStatefulSet(t, namespace, "db")))
	after, err := cluster.Client.AppsV1().StatefulSets(namespace).Get(t.Context(), "db", metav1.GetOptions{})
	require.NoError(t, err)
	require.Equal(t, after.Generation, after.Status.ObservedGeneration)
	require.EqualValues(t, 2, after.Status.ReadyReplicas)
	require.EqualValues(t, 2, after.Status.UpdatedReplicas)
	require.Equal(t, after.Status.UpdateRevision, after.Status.CurrentRevision)
	require.NotEqual(t, before.Status.UpdateRevision, after.Status.UpdateRevision)
}

func TestStatefulSetKeepsOldPods(t *testing.T) {
	one := int32(1)
	for name, test := range map[string]struct {
		strategy appsv1.StatefulSetUpdateStrategy
		want     []string
	}{
		"on delete": {
			appsv1.StatefulSetUpdateStrategy{Type: appsv1.OnDeleteStatefulSetStrategyType},
			[]string{"500m", "500m"},
		},
		"below the partition": {
			appsv1.StatefulSetUpdateStrategy{
				Type:          appsv1.RollingUpdateStatefulSetStrategyType,
				RollingUpdate: &appsv1.RollingUpdateStatefulSetStrategy{Partition: &one},
			},
			[]string{"500m", "2"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			cluster := kubetest.Start(t)
			namespace := cluster.Namespace(t)
			statefulSet(t, cluster, namespace, 2, test.strategy)
			cluster.PlayStatefulSet(t, namespace, "db")
			changeSet(t, cluster, namespace, func(spec *appsv1.StatefulSetSpec) { spec.Template = template("2") })
			require.Equal(t, test.want, cpus(cluster.PlayStatefulSet(t, namespace, "db")))
		})
	}
}

func TestDeploymentIsRolledOutAndBack(t *testing.T) {
	cluster := kubetest.Start(t)
	namespace := cluster.Namespace(t)
	deployments := cluster.Client.AppsV1().Deployments(namespace)
	replicas := int32(2)
	_, err := deployments.Create(t.Context(), &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: template("500m"),
		},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	revision := ""
	for i, cpu := range []string{"500m", "2", "500m"} {
		deployment, err := deployments.Get(t.Context(), "web", metav1.GetOptions{})
		require.NoError(t, err)
		deployment.Spec.Template = template(cpu)
		_, err = deployments.Update(t.Context(), deployment, metav1.UpdateOptions{})
		require.NoError(t, err)

		require.Equal(t, []string{cpu, cpu}, cpus(cluster.PlayDeployment(t, namespace, "web")))
		deployment, err = deployments.Get(t.Context(), "web", metav1.GetOptions{})
		require.NoError(t, err)
		require.Equal(t, deployment.Generation, deployment.Status.ObservedGeneration)
		require.EqualValues(t, 2, deployment.Status.AvailableReplicas)
		require.Greater(t, deployment.Annotations[kubetest.RevisionAnnotation], revision)
		revision = deployment.Annotations[kubetest.RevisionAnnotation]

		sets, err := cluster.Client.AppsV1().ReplicaSets(namespace).List(t.Context(), metav1.ListOptions{})
		require.NoError(t, err)
		require.Len(t, sets.Items, min(i+1, 2), "the first template's is used again")
		for _, set := range sets.Items {
			want := int32(0)
			if set.Annotations[kubetest.RevisionAnnotation] == revision {
				want = 2
			}
			require.Equal(t, want, set.Status.ReadyReplicas)
		}
	}
	pods, err := cluster.Client.CoreV1().Pods(namespace).List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	require.Len(t, pods.Items, 2)
}

func TestPausedDeploymentIsLeftAlone(t *testing.T) {
	cluster := kubetest.Start(t)
	namespace := cluster.Namespace(t)
	_, err := cluster.Client.AppsV1().Deployments(namespace).Create(t.Context(), &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec: appsv1.DeploymentSpec{
			Paused:   true,
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: template("500m"),
		},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	require.Empty(t, cluster.PlayDeployment(t, namespace, "web"))
}
