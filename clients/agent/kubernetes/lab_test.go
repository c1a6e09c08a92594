package kubernetes

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/rest"

	"github.com/tidemark-project/tidemark/internal/kubetest"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

const (
	none    = tidemarkv1.DisruptionClass_DISRUPTION_CLASS_NONE
	rolling = tidemarkv1.DisruptionClass_DISRUPTION_CLASS_ROLLING
	restart = tidemarkv1.DisruptionClass_DISRUPTION_CLASS_RESTART

	gib = 1 << 30
	// patience is how long a test waits for what another process does.
	patience = 30 * time.Second
)

// lab is a namespace of a real API server, in which the service "db" is.
type lab struct {
	*kubetest.Cluster

	t         testing.TB
	namespace string
	requests  requests
}

func newLab(tb testing.TB) *lab {
	tb.Helper()

	cluster := kubetest.Start(tb)

	return &lab{Cluster: cluster, t: tb, namespace: cluster.Namespace(tb)}
}

// actuator returns one that acts in the lab, with its requests counted.
func (l *lab) actuator(change func(*Config)) *Actuator {
	l.t.Helper()

	config := Config{API: rest.CopyConfig(l.Config), Timeout: patience}
	config.API.Wrap(l.requests.count)

	if change != nil {
		change(&config)
	}

	made, err := New(config)
	require.NoError(l.t, err)
	l.t.Cleanup(made.Close)

	return made
}

// template is of a pod with the service and a sidecar beside it.
func template() corev1.PodTemplateSpec {
	return corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{
			Labels:      map[string]string{"app": "db"},
			Annotations: map[string]string{"kubectl.kubernetes.io/default-container": "db"},
		},
		Spec: corev1.PodSpec{Containers: []corev1.Container{
			{Name: "proxy", Image: "proxy", Resources: required("100m", "64Mi", "200m", "64Mi")},
			{Name: "db", Image: "db", Resources: required("1", "2Gi", "2", "2Gi")},
		}},
	}
}

func required(requestCPU, requestMemory, limitCPU, limitMemory string) corev1.ResourceRequirements {
	return corev1.ResourceRequirements{
		Requests: corev1.ResourceList{"cpu": resource.MustParse(requestCPU), "memory": resource.MustParse(requestMemory)},
		Limits:   corev1.ResourceList{"cpu": resource.MustParse(limitCPU), "memory": resource.MustParse(limitMemory)},
	}
}

// statefulSet makes the service, with its pods.
func (l *lab) statefulSet(replicas int32, change func(*appsv1.StatefulSet)) {
	l.t.Helper()

	set := &appsv1.StatefulSet{
		ObjectMeta: metav1.ObjectMeta{Name: "db", Labels: map[string]string{"app": "db"}},
		Spec: appsv1.StatefulSetSpec{
			Replicas: &replicas, Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "db"}}, Template: template(),
		},
	}

	if change != nil {
		change(set)
	}

	_, err := l.Client.AppsV1().StatefulSets(l.namespace).Create(l.t.Context(), set, metav1.CreateOptions{FieldManager: "helm"})
	require.NoError(l.t, err)
	l.PlayStatefulSet(l.t, l.namespace, "db")
}

// deployment makes the service, with its pods.
func (l *lab) deployment(replicas int32, change func(*appsv1.Deployment)) {
	l.t.Helper()

	made := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "db", Labels: map[string]string{"app": "db"}},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas, Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "db"}}, Template: template(),
		},
	}

	if change != nil {
		change(made)
	}

	_, err := l.Client.AppsV1().Deployments(l.namespace).Create(l.t.Context(), made, metav1.CreateOptions{FieldManager: "helm"})
	require.NoError(l.t, err)
	l.PlayDeployment(l.t, l.namespace, "db")
}

// advice recommends a size to the service.
func (l *lab) advice(revision, cpuMillis, memoryBytes int64, replicas int32, class tidemarkv1.DisruptionClass) *tidemarkv1.Recommendation {
	return &tidemarkv1.Recommendation{
		Service: l.namespace + "/db", Revision: revision, Disruption: class,
		Recommended: &tidemarkv1.Size{CpuMillis: cpuMillis, MemoryBytes: memoryBytes, Replicas: replicas},
	}
}

func (l *lab) set() *appsv1.StatefulSet {
	l.t.Helper()

	set, err := l.Client.AppsV1().StatefulSets(l.namespace).Get(l.t.Context(), "db", metav1.GetOptions{})
	require.NoError(l.t, err)

	return set
}

func (l *lab) pod(name string) *corev1.Pod {
	l.t.Helper()

	found, err := l.Client.CoreV1().Pods(l.namespace).Get(l.t.Context(), name, metav1.GetOptions{})
	require.NoError(l.t, err)

	return found
}

func (l *lab) podsNow() []corev1.Pod {
	l.t.Helper()

	found, err := l.Client.CoreV1().Pods(l.namespace).List(l.t.Context(), metav1.ListOptions{})
	require.NoError(l.t, err)

	return found.Items
}

// cpuOf is what a pod's service asks for.
func (l *lab) cpuOf(name string) int64 {
	return serviceOf(&l.pod(name).Spec).Resources.Requests.Cpu().MilliValue()
}

func (l *lab) memoryOf(name string) int64 {
	return serviceOf(&l.pod(name).Spec).Resources.Requests.Memory().Value()
}

// budget makes a PodDisruptionBudget for the service, which allows so many disruptions.
func (l *lab) budget(t *testing.T, name string, allowed int32) {
	t.Helper()

	one, budgets := intstr.FromInt32(1), l.Client.PolicyV1().PodDisruptionBudgets(l.namespace)
	budget, err := budgets.Get(t.Context(), name, metav1.GetOptions{})

	if apierrors.IsNotFound(err) {
		budget, err = budgets.Create(t.Context(), &policyv1.PodDisruptionBudget{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec: policyv1.PodDisruptionBudgetSpec{
				MinAvailable: &one, Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "db"}},
			},
		}, metav1.CreateOptions{})
	}

	require.NoError(t, err)

	budget.Status.DisruptionsAllowed = allowed
	_, err = budgets.UpdateStatus(t.Context(), budget, metav1.UpdateOptions{})
	require.NoError(t, err)
}

func serviceOf(spec *corev1.PodSpec) *corev1.Container {
	for i := range spec.Containers {
		if spec.Containers[i].Name == "db" {
			return &spec.Containers[i]
		}
	}

	return nil
}

// actuateUnready says for the kubelet that a pod has what it asks for, and is not ready.
func (l *lab) actuateUnready(name string) {
	l.t.Helper()

	now := l.pod(name)
	now.Status.ObservedGeneration = now.Generation

	for i := range now.Status.ContainerStatuses {
		now.Status.ContainerStatuses[i].Resources = now.Spec.Containers[i].Resources.DeepCopy()
	}

	for i := range now.Status.Conditions {
		if now.Status.Conditions[i].Type == corev1.PodReady {
			now.Status.Conditions[i].Status = corev1.ConditionFalse
		}
	}

	_, err := l.Client.CoreV1().Pods(l.namespace).UpdateStatus(l.t.Context(), now, metav1.UpdateOptions{})
	require.NoError(l.t, err)
}

// eventually waits for what another process does.
func (l *lab) eventually(what string, holds func() bool) {
	l.t.Helper()
	require.Eventually(l.t, holds, patience, 20*time.Millisecond, what)
}

// attempt is a resize that goes on while the test plays the cluster.
type attempt struct {
	done chan struct{}
	size *tidemarkv1.Size
	err  error
}

func (l *lab) begin(ctx context.Context, actuator *Actuator, advice *tidemarkv1.Recommendation) *attempt {
	begun := &attempt{done: make(chan struct{})}

	go func() {
		defer close(begun.done)

		begun.size, begun.err = actuator.Resize(ctx, advice)
	}()

	l.t.Cleanup(func() { <-begun.done })

	return begun
}

func (a *attempt) wait() (*tidemarkv1.Size, error) {
	<-a.done

	return a.size, a.err
}

// resize lets an actuator try as often as an agent would where the controllers of the test are not as fast as it is.
func (l *lab) resize(actuator *Actuator, advice *tidemarkv1.Recommendation) (*tidemarkv1.Size, error) {
	for {
		size, err := actuator.Resize(l.t.Context(), advice)
		if err == nil || permanent(err) || asked(err) > soon || l.t.Context().Err() != nil {
			return size, err
		}
	}
}

// requests are those that an actuator has sent, as "VERB resource name".
type requests struct {
	mu     sync.Mutex
	writes []string
	rights map[string]bool // "verb group/resource"
	before func(*http.Request)
}

// counted notes what is sent.
type counted struct {
	by   *requests
	next http.RoundTripper
}

func (c counted) RoundTrip(r *http.Request) (*http.Response, error) {
	c.by.note(r)

	if c.by.before != nil {
		c.by.before(r)
	}

	return c.next.RoundTrip(r)
}

// WrappedRoundTripper lets idle connections be closed.
func (c counted) WrappedRoundTripper() http.RoundTripper { return c.next }

func (q *requests) count(next http.RoundTripper) http.RoundTripper { return counted{q, next} }

// note takes a path such as /apis/apps/v1/namespaces/NAMESPACE/statefulsets/NAME/scale apart.
func (q *requests) note(r *http.Request) {
	q.mu.Lock()
	defer q.mu.Unlock()

	before, after, found := strings.Cut(r.URL.Path, "/namespaces/")
	if !found {
		return
	}

	parts := strings.Split(after, "/")[1:]
	group, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(before, "/apis/"), "/api/v1"), "/")
	what := parts[0]

	if len(parts) > 2 {
		what += "/" + parts[2]
	}

	verb := map[string]string{http.MethodPatch: "patch", http.MethodPut: "update"}[r.Method]

	switch {
	case verb != "" && r.URL.Query().Get("dryRun") != "": // nothing is written
	case verb != "":
		q.writes = append(q.writes, verb+" "+what+" "+parts[1])
	case r.URL.Query().Get("watch") != "":
		verb = "watch"
	case len(parts) > 1:
		verb = "get"
	default:
		verb = "list"
	}

	if q.rights == nil {
		q.rights = make(map[string]bool)
	}

	q.rights[verb+" "+group+"/"+what] = true
}

// written returns what was written since the last call.
func (q *requests) written() []string {
	q.mu.Lock()
	defer q.mu.Unlock()

	writes := q.writes
	q.writes = nil

	return writes
}
