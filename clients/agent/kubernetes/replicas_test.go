package kubernetes

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// A recommendation says how many replicas it has seen also when it does not change that. What has changed the number since
// was not meant to be undone.
func TestReplicasThatAreNotAskedToChange(t *testing.T) {
	lab := newLab(t)
	lab.statefulSet(3, nil)
	lab.Automate(t, lab.namespace)

	advice := lab.advice(7, 1500, 4*gib, 2, none)
	advice.Allocation = &tidemarkv1.Size{CpuMillis: 1000, MemoryBytes: 2 * gib, Replicas: 2}

	size, err := lab.actuator(nil).Resize(t.Context(), advice)
	require.NoError(t, err)
	require.Equal(t, int32(3), size.GetReplicas())
	require.Equal(t, int32(3), *lab.set().Spec.Replicas)
}

// Replicas that the recommendation does not know of are not removed, whichever way it wants to change their number.
func TestReplicasThatTheRecommendationHasNotSeen(t *testing.T) {
	lab := newLab(t)
	lab.statefulSet(3, nil)
	lab.Automate(t, lab.namespace)

	for seen, to := range map[int32]int32{1: 2, 4: 1} {
		advice := lab.advice(7, 1000, 2*gib, to, none)
		advice.Allocation = &tidemarkv1.Size{Replicas: seen}

		_, err := lab.actuator(nil).Resize(t.Context(), advice)
		require.ErrorContains(t, err, "it has 3 replicas, and the recommendation of "+strconv.Itoa(int(to))+" was made when there were")
		require.Equal(t, later, asked(err))
		require.Empty(t, lab.requests.written())
	}

	advice := lab.advice(8, 1000, 2*gib, 2, none)
	advice.Allocation = &tidemarkv1.Size{Replicas: 3}

	_, err := lab.actuator(nil).Resize(t.Context(), advice)
	require.NoError(t, err)
	require.Equal(t, int32(2), *lab.set().Spec.Replicas)
}

// What somebody else scales while the agent is about to is looked at again first: what was to grow may have to shrink now.
func TestScalingWhatSomebodyElseScales(t *testing.T) {
	lab := newLab(t)
	lab.statefulSet(1, nil)

	scaled := false
	lab.requests.before = func(r *http.Request) {
		if r.URL.Path == "/apis/apps/v1/namespaces/"+lab.namespace+"/statefulsets/db/scale" && !scaled {
			scaled = true

			lab.patchSet(context.Background(), `{"spec":{"replicas":4}}`, "scale")
		}
	}

	_, err := lab.actuator(nil).Resize(t.Context(), lab.advice(7, 1000, 2*gib, 2, none))
	require.ErrorContains(t, err, "somebody else has scaled it from 1 to 4 replicas meanwhile")
	require.Equal(t, soon, asked(err))
	require.Empty(t, lab.requests.written())
}

// Two services that are one workload would undo what the other gets, at each recommendation.
func TestTwoServicesOfOneWorkload(t *testing.T) {
	lab := newLab(t)
	lab.statefulSet(1, nil)
	lab.Automate(t, lab.namespace)

	actuator := lab.actuator(func(c *Config) { c.Namespace = lab.namespace })
	first, second := lab.advice(7, 1000, 4*gib, 1, none), lab.advice(7, 1000, 3*gib, 1, none)
	first.Service, second.Service = "a/db", "b/db"

	require.NoError(t, actuator.Apply(t.Context(), first))
	require.NoError(t, actuator.Apply(t.Context(), first))

	err := actuator.Apply(t.Context(), second)
	require.ErrorContains(t, err, "it is the service a/db already, and cannot be b/db as well")
	require.True(t, permanent(err))
	require.Equal(t, int64(4*gib), lab.memoryOf("db-0"))

	lab.patchSet(t.Context(), `{"metadata":{"annotations":{"tidemark.dev/service":"b/db"}}}`, "")
	require.NoError(t, actuator.Apply(t.Context(), second))
	require.ErrorContains(t, actuator.Apply(t.Context(), first), `says that it is the service "b/db", and not "a/db"`)
}

// What an operator makes, it would make anew as it was: only the pods, which it does not make, are resized.
func TestAWorkloadThatAnOperatorMakes(t *testing.T) {
	lab := newLab(t)
	yes := true

	lab.statefulSet(2, func(set *appsv1.StatefulSet) {
		set.OwnerReferences = []metav1.OwnerReference{{
			APIVersion: "db.example.org/v1", Kind: "Database", Name: "orders", UID: "1", Controller: &yes,
		}}
	})
	lab.Automate(t, lab.namespace)

	modeTemplate := func(c *Config) { c.Mode = ModeTemplate }
	for _, err := range []error{
		lab.actuator(nil).Apply(t.Context(), lab.advice(7, 1000, 2*gib, 3, rolling)),
		lab.actuator(modeTemplate).Apply(t.Context(), lab.advice(7, 1500, 4*gib, 2, rolling)),
	} {
		require.ErrorContains(t, err, "the Database orders makes it, and would change it back")
		require.True(t, permanent(err))
	}

	require.Empty(t, lab.requests.written())
	require.NoError(t, lab.actuator(nil).Apply(t.Context(), lab.advice(7, 1500, 4*gib, 2, rolling)))
	require.NoError(t, lab.actuator(byTemplate).Apply(t.Context(), lab.advice(8, 1500, 4*gib, 3, rolling)))
}

// Pods are read in pages, all of them.
func TestManyPods(t *testing.T) {
	t.Parallel()

	pages := map[string]list[pod]{
		"":  {Metadata: metav1.ListMeta{Continue: "x"}, Items: []pod{{Metadata: metav1.ObjectMeta{Name: "a"}}}},
		"x": {Items: []pod{{Metadata: metav1.ObjectMeta{Name: "b"}}}},
	}

	api := connected(t, func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		assert.Equal(t, []string{"app=db"}, query["labelSelector"])
		assert.Equal(t, []string{podsAtOnce}, query["limit"])
		_ = json.NewEncoder(w).Encode(pages[query.Get("continue")])
	})

	found, err := api.pods(t.Context(), "prod", "app=db")
	require.NoError(t, err)
	require.Len(t, found, 2)
	require.Equal(t, "b", found[1].Metadata.Name)
}
