package kubernetes

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func FuzzManagedFields(f *testing.F) {
	for _, seed := range []string{
		`{"f:spec":{"f:template":{"f:spec":{"f:containers":{"k:{\"name\":\"db\"}":{"f:resources":{}}}}}}}`,
		`{"f:spec":{"f:template":{}}}`, `{"f:spec":{"f:template":null}}`, `{"f:spec":[]}`, `{`, `null`,
		`{"f:spec":{"f:template":{"f:spec":{"f:containers":{".":{},"k:x":{},"k:{\"name\":1}":{}}}}}}`,
	} {
		f.Add([]byte(seed))
	}

	f.Fuzz(func(t *testing.T, fields []byte) {
		var w workload

		w.Metadata.ManagedFields = []metav1.ManagedFieldsEntry{{
			Manager: fieldManager, Operation: "Apply", Time: &metav1.Time{Time: time.Unix(1, 0)}, FieldsV1: metav1.NewFieldsV1(string(fields)),
		}}

		names, ours := w.appliedTo(fieldManager), w.changedBy(fieldManager)
		require.False(t, len(names) > 0 && !ours, "who has set a container has set the template")
		require.Empty(t, w.appliedTo("helm"))
		require.False(t, w.changedBy("helm"))
	})
}

func TestWhoChangedTheTemplate(t *testing.T) {
	t.Parallel()

	entry := func(manager, operation, subresource string, second int64, fields string) metav1.ManagedFieldsEntry {
		return metav1.ManagedFieldsEntry{
			Manager: manager, Operation: metav1.ManagedFieldsOperationType(operation), Subresource: subresource,
			Time: &metav1.Time{Time: time.Unix(second, 0)}, FieldsV1: metav1.NewFieldsV1(fields),
		}
	}

	const (
		template  = `{"f:spec":{"f:template":{"f:spec":{"f:containers":{"k:{\"name\":\"db\"}":{},"k:{\"name\":\"a\"}":{}}}}}}`
		elsewhere = `{"f:metadata":{"f:annotations":{}}}`
	)

	var w workload

	require.False(t, w.changedBy(fieldManager))

	w.Metadata.ManagedFields = []metav1.ManagedFieldsEntry{
		entry("helm", "Update", "", 10, template), entry(fieldManager, "Apply", "", 10, template),
		entry("controller", "Update", "", 30, elsewhere), entry("controller", "Update", "status", 30, template),
	}
	require.True(t, w.changedBy(fieldManager))
	require.Equal(t, []string{"a", "db"}, w.appliedTo(fieldManager))
	require.Empty(t, w.appliedTo("helm"), "it has applied nothing, only updated")

	w.Metadata.ManagedFields = append(w.Metadata.ManagedFields, entry("helm", "Update", "", 20, template))
	require.False(t, w.changedBy(fieldManager))
}

func FuzzWatch(f *testing.F) {
	for _, seed := range []string{
		`{"type":"ADDED","object":{"status":{"phase":"Running"}}}`, `{"type":"DELETED"}`, `{"type":"ERROR","object":{}}`,
		`{"type":"MODIFIED","object":[]}`, `{"type":"MODIFIED"}`, `{"type":1}`, "{}\n{}", "",
	} {
		f.Add([]byte(seed))
	}

	f.Fuzz(func(t *testing.T, stream []byte) {
		enough := false
		done, err := follow(json.NewDecoder(bytes.NewReader(stream)), at{}, func(now *pod) (bool, error) {
			enough = now.live()

			return enough, nil
		})

		require.False(t, done && err != nil)
		require.Equal(t, enough, done)
	})
}

func FuzzPause(f *testing.F) {
	f.Add("7", int32(0))
	f.Add("-1", int32(3))
	f.Add("99999999999999999999", int32(-1))

	f.Fuzz(func(t *testing.T, header string, seconds int32) {
		asked := pause(header, &metav1.StatusDetails{RetryAfterSeconds: seconds})
		require.GreaterOrEqual(t, asked, time.Duration(0))
		require.Zero(t, asked%time.Second)
	})
}
