package worker

import (
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// What should be done with a service is its value. All else changes with every sample, or is no result of an evaluation.
func TestWhatAValueIs(t *testing.T) {
	value := map[protoreflect.Name]bool{
		"allocation": true, "recommended": true, "direction": true, "mode": true, "status": true, "policy": true,
		"observed": true, "disruption": true, "plan": true, "labels": true,
	}
	base := &tidemarkv1.Recommendation{}
	fields := base.ProtoReflect().Descriptor().Fields()

	for i := range fields.Len() {
		field := fields.Get(i)
		other := proto.CloneOf(base)
		m := other.ProtoReflect()

		switch {
		case field.IsMap():
			m.Mutable(field).Map().Set(protoreflect.ValueOfString("x").MapKey(), protoreflect.ValueOfString("y"))
		case field.IsList():
			m.Mutable(field).List().Append(m.Mutable(field).List().NewElement())
		case field.Message() != nil:
			m.Set(field, m.NewField(field))
		case field.Enum() != nil:
			m.Set(field, protoreflect.ValueOfEnum(1))
		case field.Kind() == protoreflect.Int64Kind:
			m.Set(field, protoreflect.ValueOfInt64(1))
		default:
			m.Set(field, protoreflect.ValueOfString("x"))
		}

		require.Equal(t, !value[field.Name()], sameValue(base, other), field.Name())
	}

	require.False(t, sameValue(nil, base), "the first value is a change")
	require.True(t, sameValue(base, proto.CloneOf(base)))
}
