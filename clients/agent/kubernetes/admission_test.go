package kubernetes

import (
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// bounded bounds the containers of the lab, and waits until the API server has taken note.
func (l *lab) bounded(item corev1.LimitRangeItem) {
	l.t.Helper()

	item.Type = corev1.LimitTypeContainer
	_, err := l.Client.CoreV1().LimitRanges(l.namespace).Create(l.t.Context(), &corev1.LimitRange{
		ObjectMeta: metav1.ObjectMeta{Name: "bounds"}, Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{item}},
	}, metav1.CreateOptions{})
	require.NoError(l.t, err)

	tried := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "tried", Namespace: l.namespace}, Spec: template().Spec}
	serviceOf(&tried.Spec).Resources = required("1", "100Gi", "1", "100Gi")

	if item.Default != nil {
		serviceOf(&tried.Spec).Resources.Limits = nil
	}

	l.eventually("the bounds hold", func() bool {
		_, err := l.Client.CoreV1().Pods(l.namespace).Create(l.t.Context(), tried, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})

		return err != nil
	})
}

// A template that says what pods may not have would be rolled out until pods are missing, and nothing would bring them back.
func TestASizeThatAdmissionForbids(t *testing.T) {
	for _, mode := range []Mode{ModeAuto, ModeTemplate} {
		lab := newLab(t)
		lab.statefulSet(2, nil)
		lab.bounded(corev1.LimitRangeItem{Max: corev1.ResourceList{"memory": resource.MustParse("3Gi")}})

		before := lab.set()
		actuator := lab.actuator(func(c *Config) { c.Mode, c.ForceConflicts = mode, true })

		_, err := actuator.Resize(t.Context(), lab.advice(7, 1500, 4*gib, 2, restart))
		require.ErrorContains(t, err, "maximum memory usage per Container is 3Gi")
		require.True(t, permanent(err))
		require.Equal(t, before, lab.set(), "no rollout has begun")
	}
}

// What is limited by default is not seen in a template, and no pod could be made that asks for more.
func TestALimitThatTheTemplateDoesNotSay(t *testing.T) {
	lab := newLab(t)
	lab.bounded(corev1.LimitRangeItem{Default: corev1.ResourceList{"memory": resource.MustParse("3Gi")}})
	lab.statefulSet(2, func(set *appsv1.StatefulSet) { serviceOf(&set.Spec.Template.Spec).Resources.Limits = nil })

	before := lab.set()

	_, err := lab.actuator(byTemplate).Resize(t.Context(), lab.advice(7, 1500, 4*gib, 2, restart))
	require.ErrorContains(t, err, "the pod db-0 has a memory limit of 3Gi, which its template does not say")
	require.True(t, permanent(err))
	require.Equal(t, before, lab.set())

	lab.Automate(t, lab.namespace)

	_, err = lab.actuator(byTemplate).Resize(t.Context(), lab.advice(8, 1500, 3*gib, 2, rolling))
	require.NoError(t, err, "as much as the limit")
}

// A template that says limits only makes pods of the class Guaranteed, and goes on to.
func TestATemplateThatSaysLimitsOnly(t *testing.T) {
	lab := newLab(t)
	lab.statefulSet(2, func(set *appsv1.StatefulSet) {
		set.Spec.Template.Spec.Containers = set.Spec.Template.Spec.Containers[1:]
		set.Spec.Template.Spec.Containers[0].Resources.Requests = nil
	})
	lab.Automate(t, lab.namespace)
	require.Equal(t, corev1.PodQOSGuaranteed, lab.pod("db-0").Status.QOSClass)

	_, err := lab.actuator(byTemplate).Resize(t.Context(), lab.advice(7, 500, gib, 2, rolling))
	require.NoError(t, err)
	require.Equal(t, corev1.PodQOSGuaranteed, lab.pod("db-0").Status.QOSClass)
	require.Equal(t, int64(gib), serviceOf(&lab.pod("db-0").Spec).Resources.Limits.Memory().Value())
}
