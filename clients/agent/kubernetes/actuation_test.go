package kubernetes

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// kubeletSays is a pod whose container is to have the resources, and has what the kubelet says.
func kubeletSays(wants, has resources, conditions ...condition) *pod {
	made := new(pod)
	made.Metadata.Generation, made.Status.ObservedGeneration = 2, 2
	made.Spec.Containers = []container{{Name: "db", Resources: wants}}
	made.Status.ContainerStatuses = []containerStatus{{Name: "db", Resources: &has}}
	made.Status.Conditions = conditions

	return made
}

func TestWhatTheKubeletSays(t *testing.T) {
	t.Parallel()

	small, big := res("1", "1Gi", "", ""), res("2", "2Gi", "", "")
	pending := func(reason string, generation int64) condition {
		return condition{Type: "PodResizePending", Status: "True", Reason: reason, Message: "why", ObservedGeneration: generation}
	}

	notSeen := kubeletSays(big, big)
	notSeen.Status.ObservedGeneration = 1

	notRunning := kubeletSays(big, big)
	notRunning.Status.ContainerStatuses[0].Resources = nil

	for name, test := range map[string]struct {
		pod  *pod
		want actuation
	}{
		"done":                      {kubeletSays(big, res("2000m", "2048Mi", "", "")), actuated},
		"not yet":                   {kubeletSays(big, small), underWay},
		"only the limit is old":     {kubeletSays(res("1", "1Gi", "2", ""), res("1", "1Gi", "1", "")), underWay},
		"at it":                     {kubeletSays(big, big, condition{Type: "PodResizeInProgress", Status: "True"}), underWay},
		"no room now":               {kubeletSays(big, small, pending("Deferred", 2)), deferred},
		"no room ever":              {kubeletSays(big, small, pending("Infeasible", 2)), infeasible},
		"an old kubelet":            {kubeletSays(big, small, pending("Infeasible", 0)), infeasible},
		"it speaks of the last one": {kubeletSays(big, small, pending("Infeasible", 1)), underWay},
		"unknown":                   {kubeletSays(big, small, pending("Else", 2)), underWay},
		"over":                      {kubeletSays(big, big, condition{Type: "PodResizePending", Status: "False"}), actuated},
		"not seen":                  {notSeen, underWay},
		"not running":               {notRunning, underWay},
		"nothing known":             {&pod{Spec: notRunning.Spec}, underWay},
	} {
		state, said := test.pod.actuation("db")
		require.Equal(t, test.want, state, name)
		require.Equal(t, state == actuated, said == "", name)
	}
}

// replica is a pod of a service that is to have 2 cores.
func replica(name, has string, ready bool) *pod {
	made := kubeletSays(res(has, "1Gi", "", ""), res(has, "1Gi", "", ""))
	made.Metadata.Name = name

	if ready {
		made.Status.Conditions = append(made.Status.Conditions, condition{Type: "Ready", Status: "True"})
	}

	return made
}

// begun is a replica that was asked, and does not have its size yet.
func begun(p *pod) *pod {
	p.Spec.Containers[0].Resources = res("2", "1Gi", "", "")

	return p
}

func TestWhoseTurnItIs(t *testing.T) {
	t.Parallel()

	const ready, unready = true, false

	for name, test := range map[string]struct {
		pods []*pod
		next string
		err  string
	}{
		"the first":               {[]*pod{replica("a", "1", ready), replica("b", "1", ready)}, "a", ""},
		"the rest":                {[]*pod{replica("a", "2", ready), replica("b", "1", ready)}, "b", ""},
		"nobody":                  {[]*pod{replica("a", "2", ready), replica("b", "2", ready)}, "", ""},
		"who has nothing to lose": {[]*pod{replica("a", "1", ready), replica("b", "1", unready)}, "b", ""},
		"who was asked before":    {[]*pod{replica("a", "1", ready), begun(replica("b", "1", ready))}, "b", ""},
		"who was not asked yet":   {[]*pod{begun(replica("a", "1", unready)), replica("b", "1", unready)}, "b", ""},
		"none is ready":           {[]*pod{replica("a", "1", unready), replica("b", "1", unready)}, "a", ""},
		"another is not ready":    {[]*pod{replica("a", "1", ready), replica("b", "2", unready)}, "", "the pod b is not ready"},
		"one is missing":          {[]*pod{replica("a", "1", ready)}, "", "1 of its replicas have no pod"},
		"not ready, but done":     {[]*pod{replica("a", "2", unready), replica("b", "2", ready)}, "", ""},
		"done, and one missing":   {[]*pod{replica("a", "2", ready)}, "", "1 of its replicas have no pod yet"},
	} {
		two := int32(2)
		c := &change{
			Actuator: &Actuator{config: Config{Limits: LimitsRatio}}, want: want{cpuMillis: 2000}, container: "db",
			pods: test.pods, workload: &workload{Spec: workloadSpec{Replicas: &two}},
		}

		next, err := c.next()
		if test.err != "" {
			require.ErrorContains(t, err, test.err, name)
			require.False(t, permanent(err))
			require.Equal(t, soon, asked(err))

			continue
		}

		require.NoError(t, err, name)

		if test.next == "" {
			require.Nil(t, next, name)
		} else {
			require.Equal(t, test.next, next.Metadata.Name, name)
		}
	}
}
