package kubernetes

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

func TestPodsAreResizedInPlace(t *testing.T) {
	lab := newLab(t)
	lab.statefulSet(2, nil)
	lab.Automate(t, lab.namespace)

	before := lab.set()
	pods := lab.podsNow()
	advice := lab.advice(7, 1500, 4*gib, 2, none)
	actuator := lab.actuator(nil)

	size, err := actuator.Resize(t.Context(), advice)
	require.NoError(t, err)
	require.Equal(t, []any{int64(1500), int64(4 * gib), int32(2)},
		[]any{size.GetCpuMillis(), size.GetMemoryBytes(), size.GetReplicas()})
	require.Equal(t, []string{"patch pods/resize db-0", "patch pods/resize db-1", "patch statefulsets db"}, lab.requests.written())

	after := lab.set()
	require.Equal(t, before.Generation, after.Generation, "the template is as it was")
	require.Equal(t, "db: cpu 1500m, memory 4Gi", after.Annotations[sizeAnnotation])

	for i, now := range lab.podsNow() {
		require.Equal(t, pods[i].UID, now.UID, "no pod was made anew")
		require.Equal(t, pods[i].Spec.Containers[0].Resources, now.Spec.Containers[0].Resources, "the sidecar is as it was")
		require.Equal(t, pods[i].Status.QOSClass, now.Status.QOSClass)
		require.Zero(t, now.Status.ContainerStatuses[1].RestartCount)

		limits := serviceOf(&now.Spec).Resources.Limits
		require.Equal(t, int64(3000), limits.Cpu().MilliValue(), "twice the request, as before")
		require.Equal(t, int64(4*gib), limits.Memory().Value())
	}

	size, err = actuator.Resize(t.Context(), advice)
	require.NoError(t, err)
	require.Equal(t, int64(1500), size.GetCpuMillis())
	require.Empty(t, lab.requests.written(), "what has its size is not written")
}

func TestPodsOfADeploymentAreResizedInPlace(t *testing.T) {
	lab := newLab(t)
	lab.deployment(2, nil)
	lab.Automate(t, lab.namespace)

	stranger := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "stranger", Labels: map[string]string{"app": "db"}}, Spec: template().Spec}
	_, err := lab.Client.CoreV1().Pods(lab.namespace).Create(t.Context(), stranger, metav1.CreateOptions{})
	require.NoError(t, err)

	size, err := lab.actuator(nil).Resize(t.Context(), lab.advice(7, 500, gib, 2, none))
	require.NoError(t, err)
	require.Equal(t, int64(500), size.GetCpuMillis())
	require.Equal(t, int32(2), size.GetReplicas())
	require.Equal(t, int64(1000), lab.cpuOf("stranger"), "its labels fit, and the Deployment does not own it")
}

// At no moment do two pods change, and the second waits until the first is ready again.
func TestOnePodAfterTheOther(t *testing.T) {
	lab := newLab(t)
	lab.statefulSet(2, nil)

	begun := lab.begin(t.Context(), lab.actuator(nil), lab.advice(7, 1500, 4*gib, 2, rolling))
	untouched := func() { require.Equal(t, int64(1000), lab.cpuOf("db-1")) }

	lab.eventually("the first is asked", func() bool { return lab.cpuOf("db-0") == 1500 })
	untouched()
	lab.BeginResize(t, lab.namespace, "db-0")
	untouched()
	lab.SetReady(t, lab.namespace, "db-0", false)
	untouched()
	lab.Actuate(t, lab.namespace, "db-0")
	lab.eventually("the second is asked", func() bool { return lab.cpuOf("db-1") == 1500 })
	lab.Actuate(t, lab.namespace, "db-1")

	size, err := begun.wait()
	require.NoError(t, err)
	require.Equal(t, int64(1500), size.GetCpuMillis())
}

func TestAPodThatIsNotReadyComesFirstAndHoldsUpTheOthers(t *testing.T) {
	lab := newLab(t)
	lab.statefulSet(2, nil)
	lab.SetReady(t, lab.namespace, "db-1", false)

	actuator := lab.actuator(func(c *Config) { c.Timeout = 3 * time.Second })
	begun := lab.begin(t.Context(), actuator, lab.advice(7, 1500, 4*gib, 2, rolling))
	lab.eventually("it is asked", func() bool { return lab.cpuOf("db-1") == 1500 })
	lab.actuateUnready("db-1")

	size, err := begun.wait()
	require.ErrorContains(t, err, "wait for the resize of the pod db-1 (it is not ready): it takes longer than 3s")
	require.False(t, permanent(err))
	require.Equal(t, int64(1000), size.GetCpuMillis(), "what every replica has at least")

	_, err = actuator.Resize(t.Context(), lab.advice(7, 1500, 4*gib, 2, rolling))
	require.ErrorContains(t, err, "the pod db-1 is not ready, so the others are left alone for now")
	require.Equal(t, soon, asked(err))
	require.Equal(t, int64(1000), lab.cpuOf("db-0"))
}

func TestANodeWithoutRoomNow(t *testing.T) {
	lab := newLab(t)
	lab.statefulSet(1, nil)

	actuator, advice := lab.actuator(nil), lab.advice(7, 1500, 4*gib, 1, none)
	begun := lab.begin(t.Context(), actuator, advice)
	lab.eventually("it is asked", func() bool { return lab.cpuOf("db-0") == 1500 })
	lab.PendResize(t, lab.namespace, "db-0", corev1.PodReasonDeferred, "later perhaps")

	size, err := begun.wait()
	require.ErrorContains(t, err, "StatefulSet "+lab.namespace+"/db: the node of the pod db-0 has no room now")
	require.ErrorContains(t, err, "later perhaps")
	require.False(t, permanent(err))
	require.Equal(t, later, asked(err))
	require.Equal(t, int64(1000), size.GetCpuMillis(), "what it has, not what it asks for")

	lab.requests.written()
	lab.Actuate(t, lab.namespace, "db-0")

	size, err = actuator.Resize(t.Context(), advice)
	require.NoError(t, err)
	require.Equal(t, int64(1500), size.GetCpuMillis())
	require.NotContains(t, lab.requests.written(), "patch pods/resize db-0", "it is not asked again")
}

func TestANodeThatWillNeverHaveRoom(t *testing.T) {
	lab := newLab(t)
	lab.statefulSet(1, nil)

	begun := lab.begin(t.Context(), lab.actuator(nil), lab.advice(7, 1500, 4*gib, 1, rolling))
	lab.eventually("it is asked", func() bool { return lab.cpuOf("db-0") == 1500 })
	lab.PendResize(t, lab.namespace, "db-0", corev1.PodReasonInfeasible, "too small")

	size, err := begun.wait()
	require.ErrorContains(t, err, "the node of the pod db-0 lacks room: too small")
	require.ErrorContains(t, err, "it has a single replica, which its policy does not allow to restart")
	require.True(t, permanent(err))
	require.Equal(t, int64(1000), size.GetCpuMillis())
	require.Equal(t, int64(1000), lab.cpuOf("db-0"), "what the node does not give is not asked for any longer")
}

// Where the policy allows it, pods that do not fit are made anew, elsewhere.
func TestAPodWithoutRoomIsMadeAnew(t *testing.T) {
	lab := newLab(t)
	lab.statefulSet(2, nil)
	old := lab.pod("db-0").UID

	actuator := lab.actuator(func(c *Config) { c.ForceConflicts = true })
	begun := lab.begin(t.Context(), actuator, lab.advice(7, 1500, 4*gib, 2, rolling))
	lab.eventually("it is asked", func() bool { return lab.cpuOf("db-0") == 1500 })
	lab.PendResize(t, lab.namespace, "db-0", corev1.PodReasonInfeasible, "too small")
	lab.eventually("the template is changed", func() bool { return lab.set().Generation > 1 })
	lab.PlayStatefulSet(t, lab.namespace, "db")

	size, err := begun.wait()
	require.NoError(t, err)
	require.Equal(t, int64(1500), size.GetCpuMillis())
	require.NotEqual(t, old, lab.pod("db-0").UID)
}

// The API server itself refuses what is more than a node has.
func TestMoreThanANodeHas(t *testing.T) {
	lab := newLab(t)
	lab.statefulSet(1, nil)

	_, err := lab.actuator(nil).Resize(t.Context(), lab.advice(7, 200_000, 4*gib, 1, none))
	require.ErrorContains(t, err, "allocatable")
	require.ErrorContains(t, err, "its policy allows changes without a restart only")
	require.True(t, permanent(err))
}

// restarting makes the service restart when its memory changes.
func restarting(set *appsv1.StatefulSet) {
	serviceOf(&set.Spec.Template.Spec).ResizePolicy = []corev1.ContainerResizePolicy{
		{ResourceName: "memory", RestartPolicy: corev1.RestartContainer}, {ResourceName: "cpu", RestartPolicy: corev1.NotRequired},
	}
}

// A replica that serves restarts while a budget allows it; one that does not serve, because it lacks memory say, at once.
func TestRestartsThatWait(t *testing.T) {
	lab := newLab(t)
	lab.statefulSet(2, restarting)
	lab.budget(t, "all", 0)

	advice := lab.advice(7, 1000, 4*gib, 2, rolling)
	_, err := lab.actuator(nil).Resize(t.Context(), advice)
	require.ErrorContains(t, err, "restarts when its memory is resized (resizePolicy), and the PodDisruptionBudget all allows no")
	require.Equal(t, later, asked(err))
	require.Empty(t, lab.requests.written())

	lab.SetReady(t, lab.namespace, "db-0", false)
	lab.SetReady(t, lab.namespace, "db-1", false)

	begun := lab.begin(t.Context(), lab.actuator(nil), advice)
	lab.eventually("the first is asked", func() bool { return lab.memoryOf("db-0") == 4*gib })
	lab.Actuate(t, lab.namespace, "db-0")
	lab.eventually("the second is asked", func() bool { return lab.memoryOf("db-1") == 4*gib })
	lab.Actuate(t, lab.namespace, "db-1")

	size, err := begun.wait()
	require.NoError(t, err)
	require.Equal(t, int64(4*gib), size.GetMemoryBytes())
}

func TestContainersThatRestartForAResize(t *testing.T) {
	for _, test := range []struct {
		name     string
		replicas int32
		class    tidemarkv1.DisruptionClass
		memory   int64
		restarts int32
		says     string
	}{
		{"the policy allows none", 2, none, 4 * gib, 0, "allows changes without a restart only"},
		{"it is alone", 1, rolling, 4 * gib, 0, "it has a single replica"},
		{"nothing said", 1, 0, 4 * gib, 0, "it has a single replica"},
		{"it is alone, and may", 1, restart, 4 * gib, 1, ""},
		{"there are others", 2, rolling, 4 * gib, 1, ""},
		{"the other resource", 1, none, 2 * gib, 0, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			lab := newLab(t)
			lab.statefulSet(test.replicas, restarting)
			lab.Automate(t, lab.namespace)

			_, err := lab.actuator(nil).Resize(t.Context(), lab.advice(7, 1500, test.memory, test.replicas, test.class))
			if test.says == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, test.says)
				require.True(t, permanent(err))
				require.Empty(t, lab.requests.written())
			}

			for _, each := range lab.podsNow() {
				require.Equal(t, test.restarts, each.Status.ContainerStatuses[1].RestartCount)
				require.Zero(t, each.Status.ContainerStatuses[0].RestartCount)
			}
		})
	}
}

// A StatefulSet that is updated on delete gets the size also for the pods to come.
func TestATemplateWhoseChangeRestartsNothing(t *testing.T) {
	onDelete := func(set *appsv1.StatefulSet) { set.Spec.UpdateStrategy.Type = appsv1.OnDeleteStatefulSetStrategyType }

	for _, force := range []bool{false, true} {
		lab := newLab(t)
		lab.statefulSet(2, onDelete)
		lab.Automate(t, lab.namespace)
		pods := lab.podsNow()

		_, err := lab.actuator(func(c *Config) { c.ForceConflicts = force }).Resize(t.Context(), lab.advice(7, 1500, 4*gib, 2, none))
		require.NoError(t, err, "the pods have it, whatever the template's other manager wants")

		for i, now := range lab.podsNow() {
			require.Equal(t, pods[i].UID, now.UID)
			require.Equal(t, int64(1500), lab.cpuOf(now.Name))
		}

		set := lab.set()
		if force {
			require.Equal(t, int64(1500), serviceOf(&set.Spec.Template.Spec).Resources.Requests.Cpu().MilliValue())
			require.Empty(t, set.Annotations[sizeAnnotation])
		} else {
			require.Equal(t, int64(1000), serviceOf(&set.Spec.Template.Spec).Resources.Requests.Cpu().MilliValue())
			require.NotEmpty(t, set.Annotations[sizeAnnotation])
		}
	}
}

func TestAnAgentThatIsStopped(t *testing.T) {
	lab := newLab(t)
	lab.statefulSet(2, nil)

	ctx, stop := context.WithCancel(t.Context())
	begun := lab.begin(ctx, lab.actuator(nil), lab.advice(7, 1500, 4*gib, 2, rolling))
	lab.eventually("it is asked", func() bool { return lab.cpuOf("db-0") == 1500 })
	stop()

	size, err := begun.wait()
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, int64(1000), size.GetCpuMillis())
	require.Equal(t, int64(1000), lab.cpuOf("db-1"))
}
