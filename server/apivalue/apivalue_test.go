package apivalue_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"google.golang.org/protobuf/reflect/protoreflect"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/recommender/size"
	"github.com/tidemark-project/tidemark/recommender/usage"
	"github.com/tidemark-project/tidemark/server/apivalue"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestWhatIsNotKnownIsLeftOut(t *testing.T) {
	require.Nil(t, apivalue.SizeOrNone(size.Size{}))
	require.Nil(t, apivalue.TimeOrNone(time.Time{}))
	require.EqualValues(t, 3, apivalue.SizeOrNone(size.Size{Replicas: 3}).GetReplicas())
}

// Every field of a window is published, each as one field, and no field is published that is none of a window's.
func TestEveryFieldOfAWindowIsPublished(t *testing.T) {
	set := func(w *usage.Window, field int) {
		switch value := reflect.ValueOf(w).Elem().Field(field); value.Interface().(type) {
		case time.Time:
			value.Set(reflect.ValueOf(time.Unix(int64(field)+1, 0)))
		case float64:
			value.SetFloat(0.5)
		default:
			value.SetInt(int64(field) + 1)
		}
	}

	published := map[protoreflect.Name]bool{}
	fields := reflect.TypeFor[usage.Window]().NumField()

	for i := range fields {
		var w usage.Window

		set(&w, i)

		got := apivalue.Window(w).ProtoReflect()
		found := 0

		got.Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
			// The length is always there.
			if field.Name() != "length" || value.Message().Get(field.Message().Fields().ByName("nanos")).Int() != 0 {
				found++
				published[field.Name()] = true
			}

			return true
		})
		require.Equal(t, 1, found, reflect.TypeFor[usage.Window]().Field(i).Name)
	}

	require.Len(t, published, fields)
	require.Equal(t, fields, (&tidemarkv1.WindowUsage{}).ProtoReflect().Descriptor().Fields().Len())
}
