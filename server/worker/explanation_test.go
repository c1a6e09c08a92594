package worker

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/size"
)

// fill sets every field of a struct: numbers to ever new values, flags, times and lists to something.
func fill(v reflect.Value, next *int64) {
	switch {
	case v.Type() == reflect.TypeFor[time.Time]():
		*next++
		v.Set(reflect.ValueOf(time.Unix(*next, 0)))
	case v.Type() == reflect.TypeFor[time.Duration]():
		*next++
		v.SetInt(*next * int64(time.Second))
	case v.CanInt():
		*next++
		v.SetInt(*next)
	case v.CanFloat():
		*next++
		v.SetFloat(float64(*next))
	case v.Kind() == reflect.Bool:
		v.SetBool(true)
	case v.Kind() == reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), next)
	case v.Kind() == reflect.Struct:
		for _, field := range v.Fields() {
			fill(field, next)
		}
	}
}

// numbers notes where each number of a struct stands, by its path in lower case.
func numbers(v reflect.Value, path string, found map[float64]string) {
	switch {
	case v.Type() == reflect.TypeFor[time.Time]():
		found[float64(v.Interface().(time.Time).Unix())] = path
	case v.Type() == reflect.TypeFor[time.Duration]():
		found[v.Interface().(time.Duration).Seconds()] = path
	case v.CanInt():
		found[float64(v.Int())] = path
	case v.CanFloat():
		found[v.Float()] = path
	case v.Kind() == reflect.Slice:
		numbers(v.Index(0), path, found)
	case v.Kind() == reflect.Struct:
		for field, value := range v.Fields() {
			numbers(value, path+"."+strings.ToLower(field.Name), found)
		}
	}
}

// published notes the same of a message, and which fields are not set.
func published(m protoreflect.Message, path string, found map[float64]string, unset *[]string) {
	fields := m.Descriptor().Fields()

	for i := range fields.Len() {
		field := fields.Get(i)
		at := path + "." + strings.ReplaceAll(string(field.Name()), "_", "")

		if !m.Has(field) {
			*unset = append(*unset, at)

			continue
		}

		value := m.Get(field)
		if field.IsList() {
			value = value.List().Get(0)
		}

		switch field.Kind() {
		case protoreflect.Int64Kind, protoreflect.Int32Kind:
			found[float64(value.Int())] = at
		case protoreflect.DoubleKind:
			found[value.Float()] = at
		case protoreflect.MessageKind:
			if name := field.Message().FullName().Parent(); name == "google.protobuf" {
				inner := value.Message()
				found[float64(inner.Get(inner.Descriptor().Fields().ByName("seconds")).Int())] = at

				continue
			}

			published(value.Message(), at, found, unset)
		default:
		}
	}
}

// Every number of the explanation is published, under its own name, and every published field is filled.
func TestTheExplanationIsPublishedWhole(t *testing.T) {
	var (
		e    recommender.Explanation
		next int64
	)

	fill(reflect.ValueOf(&e).Elem(), &next)
	e.Recommender, e.Parameters[0].Name, e.Windows[0].Name = "two-window", "cpu_target", "small"
	e.Facts[0].Name = "cpu_need_millis"
	e.Windows[0].CPU.Position = recommender.BandAbove
	e.Windows[0].CPUVerdict, e.Windows[0].MemoryVerdict = recommender.DirectionUp, recommender.DirectionDown
	e.Windows[0].Verdict = recommender.DirectionUp
	e.Windows[0].Memory.Class, e.Windows[0].Memory.Term = recommender.MemorySpiky, recommender.MemoryTermOOMKill
	e.Merges[0].Scope, e.Merges[0].Picked = recommender.ScopeJoint, recommender.PickLarger
	e.Merges[0].Large, e.Merges[0].Small = recommender.DirectionDown, recommender.DirectionUp
	e.Adjustments[0].Stage, e.Adjustments[0].Resource = policy.StageBounds, size.CPU

	ours, theirs := make(map[float64]string), make(map[float64]string)

	var unset []string

	numbers(reflect.ValueOf(e), "", ours)
	published(explanation(e).ProtoReflect(), "", theirs, &unset)

	for i, path := range unset {
		if strings.HasSuffix(path, ".replicas") { // a window says nothing of them
			unset[i] = ""
		}
	}

	require.Empty(t, strings.Join(unset, ""))

	// Where the names differ.
	renamed := strings.NewReplacer(".memory.class", ".memory.memoryclass", ".trending", ".trendingup")

	require.Len(t, theirs, len(ours))

	for number, path := range ours {
		require.Equal(t, renamed.Replace(path), theirs[number])
	}
}
