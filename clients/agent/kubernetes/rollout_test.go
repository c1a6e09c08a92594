package kubernetes

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

func byTemplate(c *Config) { c.Mode, c.ForceConflicts = ModeTemplate, true }

func TestATemplateIsRolledOut(t *testing.T) {
	lab := newLab(t)
	lab.statefulSet(2, nil)
	lab.Automate(t, lab.namespace)

	old := lab.podsNow()
	advice := lab.advice(7, 1500, 4*gib, 2, rolling)

	_, err := lab.actuator(func(c *Config) { c.Mode = ModeTemplate }).Resize(t.Context(), advice)
	require.ErrorContains(t, err, `another manager has set what was to be set (conflict with "helm"`)
	require.ErrorContains(t, err, "--kubernetes-force-conflicts")
	require.True(t, permanent(err))
	lab.requests.written()

	actuator := lab.actuator(byTemplate)
	size, err := actuator.Resize(t.Context(), advice)
	require.NoError(t, err)
	require.Equal(t, int64(1500), size.GetCpuMillis())
	require.Equal(t, int32(2), size.GetReplicas())
	require.Equal(t, []string{"patch statefulsets db"}, lab.requests.written())

	set := lab.set()
	require.Equal(t, "7", set.Spec.Template.Annotations[revisionAnnotation])
	require.Equal(t, template().Spec.Containers[0].Resources.Requests.Cpu().MilliValue(),
		set.Spec.Template.Spec.Containers[0].Resources.Requests.Cpu().MilliValue())

	for i, now := range lab.podsNow() {
		require.NotEqual(t, old[i].UID, now.UID)
		require.Equal(t, int64(3000), serviceOf(&now.Spec).Resources.Limits.Cpu().MilliValue())
	}

	_, err = actuator.Resize(t.Context(), advice)
	require.NoError(t, err)
	require.Empty(t, lab.requests.written())

	// What is its own needs no force.
	_, err = lab.resize(lab.actuator(func(c *Config) { c.Mode = ModeTemplate }), lab.advice(8, 500, gib, 2, rolling))
	require.NoError(t, err)
	require.Equal(t, int64(500), lab.cpuOf("db-0"))
}

// What pods were given in place is not told any longer when their template says it, too.
func TestANoteThatIsOfNoUseAnyMore(t *testing.T) {
	lab := newLab(t)
	lab.statefulSet(2, nil)
	lab.Automate(t, lab.namespace)

	_, err := lab.actuator(nil).Resize(t.Context(), lab.advice(7, 1500, 4*gib, 2, rolling))
	require.NoError(t, err)
	require.NotEmpty(t, lab.set().Annotations[sizeAnnotation])

	_, err = lab.resize(lab.actuator(nil), lab.advice(8, 1500, 3*gib, 2, rolling))
	require.NoError(t, err)
	require.Equal(t, "db: cpu 1500m, memory 3Gi", lab.set().Annotations[sizeAnnotation])

	_, err = lab.resize(lab.actuator(byTemplate), lab.advice(9, 1200, 2*gib, 2, rolling))
	require.NoError(t, err)
	require.Empty(t, lab.set().Annotations[sizeAnnotation])
	require.Equal(t, int64(1200), serviceOf(&lab.set().Spec.Template.Spec).Resources.Requests.Cpu().MilliValue())
}

// Another container that is chosen later does not take from the first what it has.
func TestAnotherContainerOfTheSameTemplate(t *testing.T) {
	lab := newLab(t)
	lab.deployment(2, nil)
	lab.Automate(t, lab.namespace)

	_, err := lab.actuator(byTemplate).Resize(t.Context(), lab.advice(7, 1500, 4*gib, 2, rolling))
	require.NoError(t, err)

	patch := []byte(`{"spec":{"template":{"metadata":{"annotations":{"kubectl.kubernetes.io/default-container":"proxy"}}}}}`)
	_, err = lab.Client.AppsV1().Deployments(lab.namespace).Patch(t.Context(), "db", types.MergePatchType, patch, metav1.PatchOptions{})
	require.NoError(t, err)

	lab.eventually("helm's change is rolled out", func() bool {
		now, err := lab.Client.AppsV1().Deployments(lab.namespace).Get(t.Context(), "db", metav1.GetOptions{})

		return err == nil && now.Status.ObservedGeneration == now.Generation && now.Status.ReadyReplicas == 2
	})

	_, err = lab.resize(lab.actuator(byTemplate), lab.advice(8, 200, gib, 2, rolling))
	require.NoError(t, err)

	now, err := lab.Client.AppsV1().Deployments(lab.namespace).Get(t.Context(), "db", metav1.GetOptions{})
	require.NoError(t, err)
	require.Equal(t, int64(1500), serviceOf(&now.Spec.Template.Spec).Resources.Requests.Cpu().MilliValue())
	require.Equal(t, int64(200), now.Spec.Template.Spec.Containers[0].Resources.Requests.Cpu().MilliValue())
}

// A rollout that takes longer than an attempt is not begun a second time, and a newer recommendation overtakes it.
func TestARolloutThatTakesLong(t *testing.T) {
	lab := newLab(t)
	lab.statefulSet(2, nil)

	hasty := lab.actuator(func(c *Config) {
		byTemplate(c)
		c.Timeout = 2 * time.Second
	})
	advice := lab.advice(7, 1500, 4*gib, 2, rolling)

	for range 2 {
		size, err := hasty.Resize(t.Context(), advice)
		require.ErrorContains(t, err, "it takes longer than 2s, and goes on with the next attempt")
		require.ErrorContains(t, err, "wait for the rollout (")
		require.False(t, permanent(err))
		require.Equal(t, int64(1000), size.GetCpuMillis())

		lab.seen() // the controller knows, and has done nothing yet
	}

	require.Equal(t, []string{"patch statefulsets db"}, lab.requests.written())

	// What holds it up may be that the size was too small.
	lab.SetReady(t, lab.namespace, "db-1", false)

	_, err := hasty.Resize(t.Context(), lab.advice(8, 1600, 4*gib, 2, rolling))
	require.ErrorContains(t, err, "wait for the rollout")
	require.Equal(t, []string{"patch statefulsets db"}, lab.requests.written())

	lab.PlayStatefulSet(t, lab.namespace, "db")

	size, err := hasty.Resize(t.Context(), lab.advice(8, 1600, 4*gib, 2, rolling))
	require.NoError(t, err)
	require.Equal(t, int64(1600), size.GetCpuMillis())
}

// seen says for the controller of the StatefulSet that it knows the latest template, and that no pod is of it.
func (l *lab) seen() {
	l.t.Helper()

	set := l.set()
	set.Status.ObservedGeneration, set.Status.UpdateRevision, set.Status.UpdatedReplicas = set.Generation, "db-next", 0

	_, err := l.Client.AppsV1().StatefulSets(l.namespace).UpdateStatus(l.t.Context(), set, metav1.UpdateOptions{})
	require.NoError(l.t, err)
}

func TestRolloutsThatAreNotAllowed(t *testing.T) {
	for _, test := range []struct {
		name     string
		replicas int32
		class    tidemarkv1.DisruptionClass
		change   func(*appsv1.StatefulSet)
		says     string
	}{
		{"the policy allows none", 3, none, nil, "allows changes without a restart only"},
		{"it is alone", 1, rolling, nil, "it has a single replica"},
		{"pods are held back", 3, restart, func(set *appsv1.StatefulSet) {
			two := int32(2)
			set.Spec.UpdateStrategy.RollingUpdate = &appsv1.RollingUpdateStatefulSetStrategy{Partition: &two}
		}, "would not reach the pods that its rolling update holds back (partition 2)"},
		{"all may be away", 2, rolling, func(set *appsv1.StatefulSet) {
			most := intstr.FromString("60%")
			set.Spec.UpdateStrategy.RollingUpdate = &appsv1.RollingUpdateStatefulSetStrategy{MaxUnavailable: &most}
		}, "its strategy lets all of them be away at once"},
		{"pods are replaced by hand", 2, restart, func(set *appsv1.StatefulSet) {
			set.Spec.UpdateStrategy.Type = appsv1.OnDeleteStatefulSetStrategyType
		}, "it has the update strategy OnDelete, so no pod would get the size"},
	} {
		t.Run(test.name, func(t *testing.T) {
			lab := newLab(t)
			lab.statefulSet(test.replicas, test.change)

			_, err := lab.actuator(byTemplate).Resize(t.Context(), lab.advice(7, 1500, 4*gib, test.replicas, test.class))
			require.ErrorContains(t, err, test.says)
			require.True(t, permanent(err))
			require.Empty(t, lab.requests.written())
		})
	}
}

func TestADeploymentThatIsRecreatedIsInterrupted(t *testing.T) {
	lab := newLab(t)
	lab.deployment(2, func(d *appsv1.Deployment) { d.Spec.Strategy.Type = appsv1.RecreateDeploymentStrategyType })
	lab.Automate(t, lab.namespace)

	_, err := lab.actuator(byTemplate).Resize(t.Context(), lab.advice(7, 1500, 4*gib, 2, rolling))
	require.ErrorContains(t, err, "its strategy lets all of them be away at once (Recreate, or maxUnavailable)")
	require.True(t, permanent(err))

	size, err := lab.actuator(byTemplate).Resize(t.Context(), lab.advice(7, 1500, 4*gib, 2, restart))
	require.NoError(t, err)
	require.Equal(t, int64(1500), size.GetCpuMillis())
}

func TestASingleReplicaRestartsWhereThePolicySaysSo(t *testing.T) {
	lab := newLab(t)
	lab.statefulSet(1, nil)
	lab.Automate(t, lab.namespace)
	old := lab.pod("db-0").UID

	size, err := lab.actuator(byTemplate).Resize(t.Context(), lab.advice(7, 1500, 4*gib, 1, restart))
	require.NoError(t, err)
	require.Equal(t, int64(1500), size.GetCpuMillis())
	require.NotEqual(t, old, lab.pod("db-0").UID)
}

func TestRolloutsThatWait(t *testing.T) {
	lab := newLab(t)
	lab.statefulSet(2, nil)

	advice := lab.advice(7, 1500, 4*gib, 2, rolling)
	actuator := lab.actuator(byTemplate)

	lab.SetReady(t, lab.namespace, "db-1", false)

	_, err := actuator.Resize(t.Context(), advice)
	require.ErrorContains(t, err, "of which only 1 of 2 are ready now")
	require.Equal(t, soon, asked(err))

	lab.SetReady(t, lab.namespace, "db-1", true)

	lab.budget(t, "most", 0)

	_, err = actuator.Resize(t.Context(), advice)
	require.ErrorContains(t, err, "the PodDisruptionBudget most allows no disruption now")
	require.Equal(t, later, asked(err))
	require.Empty(t, lab.requests.written())

	lab.budget(t, "most", 1)
	lab.Automate(t, lab.namespace)

	_, err = actuator.Resize(t.Context(), advice)
	require.NoError(t, err)
}

// Pods that ask for nothing cannot be given anything in place, as that would change their class.
func TestPodsThatAskForNothing(t *testing.T) {
	nothing := func(set *appsv1.StatefulSet) {
		set.Spec.Template.Spec.Containers = []corev1.Container{{Name: "db", Image: "db"}}
	}

	lab := newLab(t)
	lab.statefulSet(2, nothing)
	lab.Automate(t, lab.namespace)

	_, err := lab.actuator(func(c *Config) { c.Mode = ModeInPlace }).Resize(t.Context(), lab.advice(7, 1500, 4*gib, 2, rolling))
	require.ErrorContains(t, err, "the pod db-0 would change from class BestEffort to Burstable")
	require.True(t, permanent(err))

	size, err := lab.actuator(nil).Resize(t.Context(), lab.advice(7, 1500, 4*gib, 2, rolling))
	require.NoError(t, err)
	require.Equal(t, int64(1500), size.GetCpuMillis())
}

// Keeping limits must not make Guaranteed what was not.
func TestAClassThatWouldChange(t *testing.T) {
	lab := newLab(t)
	lab.statefulSet(2, func(set *appsv1.StatefulSet) {
		set.Spec.Template.Spec.Containers = set.Spec.Template.Spec.Containers[1:]
	})

	_, err := lab.actuator(func(c *Config) { c.Limits = LimitsKeep }).Resize(t.Context(), lab.advice(7, 3000, 4*gib, 2, rolling))
	require.ErrorContains(t, err, "the pod db-0 would change from class Burstable to Guaranteed")
	require.ErrorContains(t, err, "--kubernetes-limits=ratio")
	require.True(t, permanent(err))
	require.Empty(t, lab.requests.written())
}
