package kubernetes

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

func (l *lab) patchSet(ctx context.Context, patch, subresource string) {
	l.t.Helper()

	_, err := l.Client.AppsV1().StatefulSets(l.namespace).Patch(ctx, "db", types.MergePatchType, []byte(patch),
		metav1.PatchOptions{}, subresource)
	assert.NoError(l.t, err)
}

// Something that changes what pods ask for is found out, and not fought.
func TestAPodThatDoesNotGetWhatIsAskedFor(t *testing.T) {
	lab := newLab(t)
	lab.statefulSet(2, nil)
	lab.Automate(t, lab.namespace)
	lab.requests.before = func(r *http.Request) {
		if r.Method != http.MethodPatch {
			return
		}

		asked, _ := io.ReadAll(r.Body) // it is in memory
		r.Body = io.NopCloser(bytes.NewReader(bytes.ReplaceAll(asked, []byte("4Gi"), []byte("3Gi"))))
	}

	_, err := lab.actuator(nil).Resize(t.Context(), lab.advice(7, 1500, 4*gib, 2, rolling))
	require.ErrorContains(t, err, "the pod db-0 was not given what was asked for (memory 4Gi to 3Gi, memory limit 4Gi to 3Gi)")
	require.True(t, permanent(err))
	require.Equal(t, []string{"patch pods/resize db-0"}, lab.requests.written())
}

// Somebody who changes the size back is given time, and not fought.
func TestAPodThatSomebodyElseResizes(t *testing.T) {
	lab := newLab(t)
	lab.statefulSet(2, nil)

	begun := lab.begin(t.Context(), lab.actuator(nil), lab.advice(7, 1500, 4*gib, 2, rolling))
	lab.eventually("it is asked", func() bool { return lab.cpuOf("db-0") == 1500 })

	back := []byte(`{"spec":{"containers":[{"name":"db","resources":{"requests":{"cpu":"1"},"limits":{"cpu":"2"}}}]}}`)
	_, err := lab.Client.CoreV1().Pods(lab.namespace).Patch(t.Context(), "db-0", types.StrategicMergePatchType, back,
		metav1.PatchOptions{}, "resize")
	require.NoError(t, err)
	lab.Actuate(t, lab.namespace, "db-0")

	_, err = begun.wait()
	require.ErrorContains(t, err, "somebody else has changed the size of the pod db-0, which the agent has just set")
	require.Equal(t, later, asked(err))
	require.Equal(t, []string{"patch pods/resize db-0"}, lab.requests.written())
}

// What forbids a change forbids the rest of one that is under way.
func TestWhatIsForbiddenMeanwhile(t *testing.T) {
	lab := newLab(t)
	lab.statefulSet(2, nil)

	begun := lab.begin(t.Context(), lab.actuator(nil), lab.advice(7, 1500, 4*gib, 2, rolling))
	lab.eventually("the first is asked", func() bool { return lab.cpuOf("db-0") == 1500 })
	lab.patchSet(t.Context(), `{"metadata":{"annotations":{"tidemark.dev/opt-out":"yes"}}}`, "")
	lab.Actuate(t, lab.namespace, "db-0")

	_, err := begun.wait()
	require.ErrorContains(t, err, "its annotation tidemark.dev/opt-out forbids any change")
	require.True(t, permanent(err))
	require.Equal(t, int64(1000), lab.cpuOf("db-1"))
}

func TestARolloutThatBeginsMeanwhile(t *testing.T) {
	lab := newLab(t)
	lab.statefulSet(2, nil)

	begun := lab.begin(t.Context(), lab.actuator(nil), lab.advice(7, 1500, 4*gib, 2, rolling))
	lab.eventually("the first is asked", func() bool { return lab.cpuOf("db-0") == 1500 })

	set := lab.set()
	set.Status.UpdateRevision, set.Status.UpdatedReplicas = "next", 0
	_, err := lab.Client.AppsV1().StatefulSets(lab.namespace).UpdateStatus(t.Context(), set, metav1.UpdateOptions{})
	require.NoError(t, err)
	lab.Actuate(t, lab.namespace, "db-0")

	_, err = begun.wait()
	require.ErrorContains(t, err, "a rollout of its template has begun meanwhile")
	require.Equal(t, later, asked(err))
	require.Equal(t, int64(1000), lab.cpuOf("db-1"))
}

// A pod that was asked in an attempt that was cut short may restart at any moment, so no other is asked before it has.
func TestAPodThatWasAskedBefore(t *testing.T) {
	lab := newLab(t)
	lab.statefulSet(2, restarting)
	lab.SetReady(t, lab.namespace, "db-1", false)

	hasty := lab.actuator(func(c *Config) { c.Timeout = 2 * time.Second })
	advice := lab.advice(7, 1000, 4*gib, 2, rolling)

	begun := lab.begin(t.Context(), hasty, advice)
	lab.eventually("the one that is not ready is asked", func() bool { return lab.memoryOf("db-1") == 4*gib })
	lab.SetReady(t, lab.namespace, "db-1", true)

	_, err := begun.wait()
	require.ErrorContains(t, err, "wait for the resize of the pod db-1")

	_, err = hasty.Resize(t.Context(), advice)
	require.ErrorContains(t, err, "wait for the resize of the pod db-1")
	require.Equal(t, int64(2*gib), lab.memoryOf("db-0"))
}

// Replicas that are all down, for lack of memory say, do not wait for each other; and other services not for them.
func TestPodsThatAreAllDown(t *testing.T) {
	lab := newLab(t)
	lab.statefulSet(2, nil)
	lab.SetReady(t, lab.namespace, "db-0", false)
	lab.SetReady(t, lab.namespace, "db-1", false)

	actuator, advice := lab.actuator(nil), lab.advice(7, 1000, 4*gib, 2, rolling)
	actuator.patience = time.Second

	for _, name := range []string{"db-0", "db-1"} {
		_, err := actuator.Resize(t.Context(), advice)
		require.ErrorContains(t, err, "the pod "+name+" was not ready before, and still is not (the kubelet has not seen it)")
		require.Equal(t, soon, asked(err))
	}

	require.Equal(t, []string{"patch pods/resize db-0", "patch pods/resize db-1"}, lab.requests.written())
}

// A rollout to the right size is not begun again because the same size is recommended again.
func TestTheSameSizeDuringItsRollout(t *testing.T) {
	lab := newLab(t)
	lab.deployment(2, nil)

	hasty := lab.actuator(func(c *Config) {
		byTemplate(c)
		c.Timeout = time.Second
	})

	_, err := hasty.Resize(t.Context(), lab.advice(7, 1500, 4*gib, 2, rolling))
	require.ErrorContains(t, err, "wait for the rollout")
	lab.rollingOut()
	lab.requests.written()

	_, err = hasty.Resize(t.Context(), lab.advice(8, 1500, 4*gib, 2, rolling))
	require.ErrorContains(t, err, "wait for the rollout")
	require.Empty(t, lab.requests.written())
}

// The annotation is written also when the kubelet was done only after the attempt.
func TestANoteAfterAnAttemptThatWasCutShort(t *testing.T) {
	lab := newLab(t)
	lab.statefulSet(1, nil)

	advice := lab.advice(7, 1000, 4*gib, 1, none)
	_, err := lab.actuator(func(c *Config) { c.Timeout = time.Second }).Resize(t.Context(), advice)
	require.ErrorContains(t, err, "wait for the resize of the pod db-0")
	lab.Actuate(t, lab.namespace, "db-0")

	_, err = lab.actuator(nil).Resize(t.Context(), advice)
	require.NoError(t, err)
	require.Equal(t, "db: cpu 1, memory 4Gi", lab.set().Annotations[sizeAnnotation])
}
