package kubernetes

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// oldCluster is an API server of the time before pods could be resized, with a StatefulSet "prod/db" of one replica.
func oldCluster(t *testing.T) *rest.Config {
	t.Helper()

	one, yes := int32(1), true
	set := appsv1.StatefulSet{
		ObjectMeta: metav1.ObjectMeta{Name: "db", Namespace: "prod", UID: "set"},
		Spec: appsv1.StatefulSetSpec{
			Replicas: &one, Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "db"}}, Template: template(),
		},
	}
	pods := corev1.PodList{Items: []corev1.Pod{{
		ObjectMeta: metav1.ObjectMeta{Name: "db-0", Namespace: "prod", OwnerReferences: []metav1.OwnerReference{{UID: "set", Controller: &yes}}},
		Spec:       template().Spec,
	}}}

	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var answer any

		switch assert.Equal(t, http.MethodGet, r.Method); {
		case r.URL.Path == "/api/v1":
			answer = metav1.APIResourceList{APIResources: []metav1.APIResource{{Name: "pods"}, {Name: "pods/status"}}}
		case strings.HasSuffix(r.URL.Path, "/statefulsets/db"):
			answer = set
		case strings.HasSuffix(r.URL.Path, "/pods"):
			answer = pods
		default:
			w.WriteHeader(http.StatusNotFound)

			return
		}

		_ = json.NewEncoder(w).Encode(answer)
	}))
	t.Cleanup(server.Close)

	return &rest.Config{Host: server.URL}
}

func TestAnAPIServerThatCannotResize(t *testing.T) {
	t.Parallel()

	for mode, want := range map[Mode]string{
		ModeInPlace: "cannot be resized in place, and the agent must not do it otherwise: the API server has no pods/resize",
		ModeAuto:    "cannot be resized in place (the API server has no pods/resize): its template has to change, which restarts all",
	} {
		actuator, err := New(Config{API: oldCluster(t), Mode: mode})
		require.NoError(t, err)

		err = actuator.Apply(t.Context(), &tidemarkv1.Recommendation{
			Service: "prod/db", Recommended: &tidemarkv1.Size{CpuMillis: 1500, MemoryBytes: gib}, Disruption: none,
		})
		require.ErrorContains(t, err, want)
		require.True(t, permanent(err))
		actuator.Close()
	}
}

func TestGroupsOfReplicas(t *testing.T) {
	t.Parallel()

	actuator, err := New(Config{API: oldCluster(t)})
	require.NoError(t, err)
	t.Cleanup(actuator.Close)

	err = actuator.Apply(t.Context(), &tidemarkv1.Recommendation{
		Service: "prod/db", Plan: &tidemarkv1.ScalingPlan{Changes: []*tidemarkv1.GroupChange{{Group: "a"}, {Group: "b"}}},
	})
	require.ErrorContains(t, err, "the recommendation is for groups of replicas that differ")
	require.True(t, permanent(err))
}

// A node whose kubelet says nothing of resources cannot change them.
func TestANodeThatCannotResize(t *testing.T) {
	lab := newLab(t)
	lab.statefulSet(1, nil)

	now := lab.pod("db-0")
	for i := range now.Status.ContainerStatuses {
		now.Status.ContainerStatuses[i].Resources = nil
	}

	_, err := lab.Client.CoreV1().Pods(lab.namespace).UpdateStatus(t.Context(), now, metav1.UpdateOptions{})
	require.NoError(t, err)

	size, err := lab.actuator(nil).Resize(t.Context(), lab.advice(7, 1500, 4*gib, 1, rolling))
	require.ErrorContains(t, err, "the node of the pod db-0 cannot do it")
	require.True(t, permanent(err))
	require.Equal(t, int64(1000), size.GetCpuMillis(), "what the spec says, where the kubelet says nothing")
}

// Something that changes pods as they are made is found out, and not fought.
func TestPodsThatDoNotFollowTheirTemplate(t *testing.T) {
	lab := newLab(t)
	lab.statefulSet(2, nil)

	begun := lab.begin(t.Context(), lab.actuator(byTemplate), lab.advice(7, 1500, 4*gib, 2, rolling))
	lab.eventually("the template is changed", func() bool { return lab.set().Generation > 1 })

	set := lab.set()
	set.Status.ObservedGeneration = set.Generation
	_, err := lab.Client.AppsV1().StatefulSets(lab.namespace).UpdateStatus(t.Context(), set, metav1.UpdateOptions{})
	require.NoError(t, err)

	_, err = begun.wait()
	require.ErrorContains(t, err, "the pod db-0 was made from the template and does not have its size (cpu 1500m to 1")
	require.True(t, permanent(err))
}

func TestARolloutThatIsStuck(t *testing.T) {
	lab := newLab(t)
	lab.deployment(2, nil)

	begun := lab.begin(t.Context(), lab.actuator(byTemplate), lab.advice(7, 1500, 4*gib, 2, rolling))
	deployments := lab.Client.AppsV1().Deployments(lab.namespace)
	lab.eventually("it is seen that the rollout is stuck", func() bool {
		now, err := deployments.Get(t.Context(), "db", metav1.GetOptions{})
		if err != nil || now.Spec.Template.Annotations[revisionAnnotation] == "" {
			return false
		}

		now.Status.Conditions = []appsv1.DeploymentCondition{{
			Type: appsv1.DeploymentProgressing, Status: "False", Reason: "ProgressDeadlineExceeded", Message: "no image",
		}}
		_, err = deployments.UpdateStatus(t.Context(), now, metav1.UpdateOptions{})

		return err == nil
	})

	_, err := begun.wait()
	require.ErrorContains(t, err, "the rollout is stuck: no image")
	require.Equal(t, later, asked(err))
	require.False(t, permanent(err))
}
