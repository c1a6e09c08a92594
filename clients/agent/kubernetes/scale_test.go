package kubernetes

import (
	"bytes"
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// The capacity never falls below both what it was and what it will be.
func TestTheOrderOfChanges(t *testing.T) {
	const (
		scale = "update statefulsets/scale db"
		note  = "patch statefulsets db"
	)

	sized := func(pods ...string) (writes []string) {
		for _, each := range pods {
			writes = append(writes, "patch pods/resize db-"+each)
		}

		return writes
	}

	for _, test := range []struct {
		name     string
		from, to int32
		millis   int64
		want     [][]string
	}{
		{"more, and larger", 2, 3, 1500, [][]string{sized("0", "1"), {note, scale}, sized("2")}},
		{"more, and smaller", 2, 3, 500, [][]string{{scale}, sized("0", "1", "2"), {note}}},
		{"more", 2, 3, 1000, [][]string{{scale}}},
		{"more of one that is alone", 1, 2, 1500, [][]string{{scale}, sized("0", "1"), {note}}},
		{"fewer, and larger", 3, 2, 1500, [][]string{sized("0", "1", "2"), {note, scale}}},
		{"fewer, and smaller", 3, 2, 500, [][]string{sized("0", "1", "2"), {note, scale}}},
		{"fewer", 3, 1, 1000, [][]string{{scale}}},
		{"not controlled", 2, 0, 1000, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			lab := newLab(t)
			lab.statefulSet(test.from, nil)
			lab.Automate(t, lab.namespace)

			size, err := lab.actuator(nil).Resize(t.Context(), lab.advice(7, test.millis, 2*gib, test.to, rolling))
			require.NoError(t, err)
			require.Equal(t, test.millis, size.GetCpuMillis())

			if test.to > 0 {
				require.Equal(t, test.to, *lab.set().Spec.Replicas)
				require.Equal(t, test.to, size.GetReplicas())
			}

			var want []string
			for _, part := range test.want {
				want = append(want, part...)
			}

			require.Equal(t, want, lab.requests.written())
		})
	}
}

// Nothing is rolled out for the sake of a number.
func TestOnlyTheNumberChangesByTemplate(t *testing.T) {
	lab := newLab(t)
	lab.statefulSet(2, nil)
	lab.Automate(t, lab.namespace)
	before := lab.lives()

	size, err := lab.actuator(byTemplate).Resize(t.Context(), lab.advice(7, 1000, 2*gib, 3, none))
	require.NoError(t, err)
	require.Equal(t, int32(3), size.GetReplicas())
	require.Equal(t, []string{"update statefulsets/scale db"}, lab.requests.written())

	for uid := range before {
		require.Contains(t, lab.lives(), uid)
	}
}

// Pods that were made with the size are not made anew because they take their time.
func TestPodsThatTakeTheirTime(t *testing.T) {
	lab := newLab(t)
	lab.statefulSet(2, nil)
	lab.BeginResize(t, lab.namespace, "db-0")

	_, err := lab.actuator(byTemplate).Resize(t.Context(), lab.advice(7, 1000, 2*gib, 2, restart))
	require.ErrorContains(t, err, "its pods were made with the size, and not all of them have it yet")
	require.Equal(t, soon, asked(err))
	require.Empty(t, lab.requests.written())
}

// What others change at the same time is noticed, and the number is set all the same.
func TestScalingWhatOthersChange(t *testing.T) {
	lab := newLab(t)
	lab.statefulSet(1, nil)
	lab.Automate(t, lab.namespace)

	actuator, meanwhile := lab.actuator(nil), 0
	lab.requests.before = func(r *http.Request) {
		if r.Method != http.MethodPut || meanwhile == 2 {
			return
		}

		meanwhile++

		patch := []byte(`{"metadata":{"labels":{"n":"` + strings.Repeat("x", meanwhile) + `"}}}`)
		_, err := lab.Client.AppsV1().StatefulSets(lab.namespace).Patch(context.Background(), "db", types.MergePatchType, patch, metav1.PatchOptions{})
		require.NoError(t, err)
	}

	_, err := actuator.Resize(t.Context(), lab.advice(7, 1000, 2*gib, 2, none))
	require.NoError(t, err)
	require.Equal(t, int32(2), *lab.set().Spec.Replicas)
	require.Len(t, lab.requests.written(), 3)
}

func TestReplicasThatAnAutoscalerControls(t *testing.T) {
	lab := newLab(t)
	lab.statefulSet(2, nil)
	lab.Automate(t, lab.namespace)

	_, err := lab.Client.AutoscalingV2().HorizontalPodAutoscalers(lab.namespace).Create(t.Context(),
		&autoscalingv2.HorizontalPodAutoscaler{
			ObjectMeta: metav1.ObjectMeta{Name: "scaler"},
			Spec: autoscalingv2.HorizontalPodAutoscalerSpec{
				ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: "StatefulSet", Name: "db"},
				MaxReplicas:    5,
			},
		}, metav1.CreateOptions{})
	require.NoError(t, err)

	_, err = lab.actuator(nil).Resize(t.Context(), lab.advice(7, 1500, 4*gib, 3, none))
	require.ErrorContains(t, err, "the HorizontalPodAutoscaler scaler controls its replicas, which the recommendation would change from 2 to 3")
	require.True(t, permanent(err))
	require.Empty(t, lab.requests.written())

	for _, replicas := range []int32{0, 2} {
		_, err = lab.actuator(nil).Resize(t.Context(), lab.advice(7, 1500+int64(replicas), 4*gib, replicas, none))
		require.NoError(t, err, "it does not control CPU and memory")
	}
}

func TestWorkloadsThatAreLeftAlone(t *testing.T) {
	annotated := func(name, value string) func(*appsv1.Deployment) {
		return func(d *appsv1.Deployment) { d.Annotations = map[string]string{name: value} }
	}

	for _, test := range []struct {
		name     string
		replicas int32
		change   func(*appsv1.Deployment)
		later    func(*testing.T, *lab)
		says     string
		waits    bool
	}{
		{"opt-out", 2, annotated(optOutAnnotation, "true"), nil, "tidemark.dev/opt-out forbids any change", false},
		{"another service", 2, annotated(serviceAnnotation, "prod/other"), nil, `says that it is the service "prod/other"`, false},
		{"asleep", 0, nil, nil, "it is scaled to zero; the agent wakes nothing", false},
		{"paused", 2, nil, func(t *testing.T, lab *lab) { t.Helper(); lab.patch(`{"spec":{"paused":true}}`) }, "it is paused", true},
		{"going", 2, func(d *appsv1.Deployment) { d.Finalizers = []string{"tidemark.dev/test"} }, func(t *testing.T, lab *lab) {
			t.Helper()
			require.NoError(t, lab.Client.AppsV1().Deployments(lab.namespace).Delete(t.Context(), "db", metav1.DeleteOptions{}))
		}, "it is being deleted", false},
		{"not seen yet", 2, nil, func(t *testing.T, lab *lab) {
			t.Helper()
			lab.patch(`{"spec":{"minReadySeconds":1}}`)
		}, "its controller has not seen its latest change", true},
		{"another's rollout", 2, nil, func(t *testing.T, lab *lab) {
			t.Helper()
			lab.patch(`{"spec":{"template":{"metadata":{"annotations":{"x":"y"}}}}}`)
			lab.rollingOut()
		}, "somebody else's rollout is under way", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			lab := newLab(t)
			lab.deployment(test.replicas, test.change)

			if test.later != nil {
				test.later(t, lab)
			}

			for _, mode := range []Mode{ModeAuto, ModeInPlace, ModeTemplate} {
				actuator := lab.actuator(func(c *Config) { c.Mode, c.ForceConflicts = mode, true })
				_, err := actuator.Resize(t.Context(), lab.advice(7, 1500, 4*gib, 1, restart))
				require.ErrorContains(t, err, test.says)
				require.Equal(t, !test.waits, permanent(err))
				require.Equal(t, test.waits, asked(err) > 0)
				require.Empty(t, lab.requests.written())
			}
		})
	}
}

// What has its size needs no change, and nothing to wait for.
func TestAWorkloadThatIsPausedAndHasItsSize(t *testing.T) {
	lab := newLab(t)
	lab.deployment(2, nil)
	lab.patch(`{"spec":{"paused":true}}`)

	size, err := lab.actuator(nil).Resize(t.Context(), lab.advice(7, 1000, 2*gib, 2, none))
	require.NoError(t, err)
	require.Equal(t, int64(1000), size.GetCpuMillis())
	require.Empty(t, lab.requests.written())
}

func (l *lab) patch(patch string) {
	l.t.Helper()

	_, err := l.Client.AppsV1().Deployments(l.namespace).Patch(l.t.Context(), "db", types.MergePatchType, []byte(patch),
		metav1.PatchOptions{FieldManager: "helm"})
	require.NoError(l.t, err)
}

// rollingOut says for the controller of the Deployment that a rollout has begun.
func (l *lab) rollingOut() {
	l.t.Helper()

	now, err := l.Client.AppsV1().Deployments(l.namespace).Get(l.t.Context(), "db", metav1.GetOptions{})
	require.NoError(l.t, err)

	now.Status.ObservedGeneration, now.Status.Replicas, now.Status.UpdatedReplicas = now.Generation, 3, 1
	_, err = l.Client.AppsV1().Deployments(l.namespace).UpdateStatus(l.t.Context(), now, metav1.UpdateOptions{})
	require.NoError(l.t, err)
}

func TestPodsWithResourcesAsAWhole(t *testing.T) {
	lab := newLab(t)
	whole := required("2", "4Gi", "4", "4Gi")
	lab.statefulSet(2, func(set *appsv1.StatefulSet) { set.Spec.Template.Spec.Resources = &whole })

	_, err := lab.actuator(nil).Resize(t.Context(), lab.advice(7, 1500, 4*gib, 2, restart))
	require.ErrorContains(t, err, "its template has resources for the pod as a whole")
	require.True(t, permanent(err))
}

func TestWhichWorkloadIsTheService(t *testing.T) {
	lab := newLab(t)
	lab.statefulSet(1, nil)
	lab.Automate(t, lab.namespace)

	advice := lab.advice(7, 1500, 4*gib, 1, none)
	advice.Service = "prod/orders"

	refused := func(want string, change func(*Config)) {
		_, err := lab.actuator(change).Resize(t.Context(), advice)
		require.ErrorContains(t, err, want)
		require.True(t, permanent(err))
	}

	here := func(change func(*Config)) func(*Config) {
		return func(c *Config) {
			c.Namespace = lab.namespace
			change(c)
		}
	}

	refused("the service prod/orders has no workload: there is no StatefulSet or Deployment named orders in the namespace prod", nil)
	refused("there is no Deployment named db in the namespace "+lab.namespace,
		here(func(c *Config) { c.Name, c.Kind = "db", "deployment" }))
	refused("there is no StatefulSet or Deployment with the labels app=orders", here(func(c *Config) { c.Selector = "app={name}" }))
	refused(`would be in the namespace "Prod"`, func(c *Config) { c.Namespace = "Prod" })
	refused(`would be the workload "a b"`, func(c *Config) { c.Name = "a b" })

	for _, change := range []func(*Config){
		func(c *Config) { c.Name = "db" }, func(c *Config) { c.Selector = "app in (db,{name})" },
		func(c *Config) { c.Selector, c.Kind = "app=db", "StatefulSet" },
	} {
		_, err := lab.actuator(here(change)).Resize(t.Context(), advice)
		require.NoError(t, err)
	}

	require.Equal(t, int64(1500), lab.cpuOf("db-0"))

	lab.deployment(1, nil)
	refused("the service prod/orders has 2 workloads (StatefulSet "+lab.namespace+"/db, Deployment "+lab.namespace+"/db)",
		here(func(c *Config) { c.Name = "db" }))
	refused("has 2 workloads", here(func(c *Config) { c.Selector = "app=db" }))

	_, err := lab.actuator(here(func(c *Config) { c.Name, c.Kind = "db", "statefulset" })).Resize(t.Context(), advice)
	require.NoError(t, err)

	advice.Plan = nil
	advice.Service = "no-key"
	refused("no key of the form tenant/name", nil)
}

func TestADryRunChangesNothing(t *testing.T) {
	lab := newLab(t)
	lab.statefulSet(2, nil)

	before, pods := lab.set(), lab.podsNow()

	dry := func(change func(*Config)) (string, error) {
		out := new(bytes.Buffer)
		actuator := lab.actuator(func(c *Config) {
			c.DryRun = out
			if change != nil {
				change(c)
			}
		})

		size, err := actuator.Resize(t.Context(), lab.advice(7, 1500, 4*gib, 3, rolling))
		require.Nil(t, size)

		return strings.ReplaceAll(out.String(), lab.namespace, "ns"), err
	}

	printed, err := dry(nil)
	require.NoError(t, err)
	require.Equal(t, `ns/db: StatefulSet ns/db: resized the pod db-0 in place, container db: cpu 1 to 1500m, cpu limit 2 to 3, memory 2Gi to 4Gi, memory limit 2Gi to 4Gi (dry run)
ns/db: StatefulSet ns/db: resized the pod db-1 in place, container db: cpu 1 to 1500m, cpu limit 2 to 3, memory 2Gi to 4Gi, memory limit 2Gi to 4Gi (dry run)
ns/db: StatefulSet ns/db: annotated it with the size of its pods, db: cpu 1500m, memory 4Gi (dry run)
ns/db: StatefulSet ns/db: scaled from 2 to 3 replicas (dry run)
`, printed)

	printed, err = dry(byTemplate)
	require.NoError(t, err)
	require.Contains(t, printed, "changed the template, container db: cpu 1 to 1500m")

	_, err = dry(func(c *Config) { c.Mode = ModeTemplate })
	require.ErrorContains(t, err, `conflict with "helm"`)

	require.Equal(t, before, lab.set())
	require.Equal(t, pods, lab.podsNow())
	require.Equal(t, corev1.PodRunning, pods[0].Status.Phase)
}
