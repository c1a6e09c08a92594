package kubernetes

import (
	"flag"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// life is what a test remembers of a pod.
type life struct {
	restarts int32
	class    corev1.PodQOSClass
}

// scope is one check of a test, after which is cleaned up.
type scope struct {
	testing.TB

	check *rapid.T
}

// Cleanup implements testing.TB.
func (s scope) Cleanup(end func()) { s.check.Cleanup(end) }

// checks makes a test, until it ends, check so many times instead of as often as others do.
func checks(t *testing.T, times string) {
	t.Helper()

	before := flag.Lookup("rapid.checks").Value.String()
	require.NoError(t, flag.Set("rapid.checks", times))
	t.Cleanup(func() { require.NoError(t, flag.Set("rapid.checks", before)) })
}

// lives returns those of the pods that there are, by their unique names.
func (l *lab) lives() map[string]life {
	all := make(map[string]life)

	for _, each := range l.podsNow() {
		all[string(each.UID)] = life{each.Status.ContainerStatuses[1].RestartCount, each.Status.QOSClass}
	}

	return all
}

// drawSet draws a StatefulSet: how many replicas, whether a resize restarts them, and what is limited.
func drawSet(t *rapid.T) func(*appsv1.StatefulSet) {
	restarts := rapid.SampledFrom([]corev1.ResourceResizeRestartPolicy{corev1.NotRequired, corev1.RestartContainer}).Draw(t, "cpu restarts")
	limited := rapid.IntRange(0, 2).Draw(t, "limits")
	onDelete := rapid.IntRange(0, 3).Draw(t, "on delete") == 0

	return func(set *appsv1.StatefulSet) {
		service := serviceOf(&set.Spec.Template.Spec)
		service.ResizePolicy = []corev1.ContainerResizePolicy{{ResourceName: "cpu", RestartPolicy: restarts}}

		switch limited {
		case 0:
			service.Resources.Limits = nil
		case 1: // Guaranteed
			for i := range set.Spec.Template.Spec.Containers {
				each := &set.Spec.Template.Spec.Containers[i]
				each.Resources.Limits = each.Resources.Requests
			}
		}

		if onDelete {
			set.Spec.UpdateStrategy.Type = appsv1.OnDeleteStatefulSetStrategyType
		}
	}
}

// Whatever is recommended to whatever workload: a replica that is alone does not restart unless its policy says so, no
// other container changes, no limit is below its request, no pod changes its class, and nothing is scaled to zero.
func TestWhatNeverHappens(t *testing.T) {
	checks(t, "25") // each makes a namespace

	var acted, refusals int

	rapid.Check(t, func(rt *rapid.T) {
		one := scope{t, rt}
		lab := newLab(one)
		replicas := rapid.Int32Range(1, 3).Draw(rt, "replicas")
		lab.statefulSet(replicas, drawSet(rt))

		lab.Automate(one, lab.namespace)

		class := lab.podsNow()[0].Status.QOSClass

		for revision := range rapid.Int64Range(1, 4).Draw(rt, "recommendations") {
			mode := rapid.SampledFrom([]Mode{ModeAuto, ModeAuto, ModeInPlace, ModeTemplate}).Draw(rt, "mode")
			allowed := rapid.SampledFrom([]tidemarkv1.DisruptionClass{none, rolling, restart}).Draw(rt, "class")
			millis := rapid.Int64Range(1, 8).Draw(rt, "cpu") * 250
			bytes := rapid.Int64Range(1, 8).Draw(rt, "memory") * gib / 2
			limits := rapid.SampledFrom([]LimitPolicy{LimitsRatio, LimitsKeep}).Draw(rt, "limits policy")
			to := rapid.Int32Range(0, 3).Draw(rt, "to")

			alone, before := *lab.set().Spec.Replicas == 1, lab.lives()
			actuator := lab.actuator(func(c *Config) { c.Mode, c.Limits, c.ForceConflicts = mode, limits, true })
			advice := lab.advice(revision+1, millis, bytes, to, allowed)

			size, err := lab.resize(actuator, advice)
			if err != nil {
				refusals++

				require.True(rt, permanent(err), "a cluster that works gives no reason to wait for long: %v", err)
			} else {
				acted++

				require.Equal(rt, []int64{millis, bytes}, []int64{size.GetCpuMillis(), size.GetMemoryBytes()})
			}

			lab.check(rt, class)

			if grew := to > 1; allowed == none || alone && !grew && allowed == rolling {
				lab.undisturbed(rt, before, to)
			}
		}
	})

	require.Positive(t, acted)
	require.Positive(t, refusals)
}

// check looks at the workload and every pod.
func (l *lab) check(rt *rapid.T, class corev1.PodQOSClass) {
	require.Positive(rt, *l.set().Spec.Replicas)

	for _, each := range l.podsNow() {
		require.Equal(rt, class, each.Status.QOSClass)

		proxy := each.Spec.Containers[0].Resources
		require.Equal(rt, int64(100), proxy.Requests.Cpu().MilliValue())
		require.Equal(rt, int64(64<<20), proxy.Requests.Memory().Value())

		has := serviceOf(&each.Spec).Resources
		for name, limit := range has.Limits {
			require.GreaterOrEqual(rt, limit.Cmp(has.Requests[name]), 0)
		}
	}
}

// undisturbed makes sure that no pod has gone, but for those that are one too many, and none has restarted.
func (l *lab) undisturbed(rt *rapid.T, before map[string]life, to int32) {
	after, gone := l.lives(), 0

	for uid, was := range before {
		is, there := after[uid]
		if !there {
			gone++

			continue
		}

		require.Equal(rt, was.restarts, is.restarts)
	}

	surplus := 0
	if to > 0 {
		surplus = max(0, len(before)-int(to))
	}

	require.LessOrEqual(rt, gone, surplus, fmt.Sprint("pods that had to go: ", surplus))
}
