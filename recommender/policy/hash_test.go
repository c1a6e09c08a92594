package policy_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/size"
)

// full returns a policy with every field set, so that changing any of them changes what may be answered.
func full(t *testing.T) policy.Policy {
	t.Helper()

	zone, err := time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)

	permission := policy.Permission{Up: policy.ModeEnforce, Down: policy.ModeOff}
	step := policy.StepLimit{Share: 0.5, Size: size.Size{CPUMillis: 1000, MemoryBytes: gib, Replicas: 1}}

	return policy.Policy{
		Name: "full", Hash: "any",
		Min: of(1000, 1), Max: of(8000, 32), Catalogue: ladder(2, 4),
		StepCPUMillis: 100, StepMemoryBytes: gib, MemoryPerCoreBytes: gib, MinReplicas: 1, MaxReplicas: 9,
		Floor:  policy.Floor{Window: time.Hour, CPUUtilisation: 0.5, MemoryMultiplier: 1.5},
		StepUp: step, StepDown: step,
		Disruption: policy.Disruption{
			Class: policy.DisruptionNone, MinReplicas: 2, MinUp: 0.1, MinDown: 0.2,
			ScaleDown: []policy.TimeWindow{{Days: []time.Weekday{time.Monday}, From: time.Hour, To: 2 * time.Hour, Location: zone}},
		},
		CoolDown:    policy.CoolDown{Up: time.Minute, Down: time.Hour},
		Mode:        policy.ModeUpOnly,
		Permissions: policy.Permissions{CPU: permission, Memory: permission, Replicas: permission},
	}
}

// TestEveryFieldChangesTheHash walks over all fields there are, also those that are added later.
func TestEveryFieldChangesTheHash(t *testing.T) {
	t.Parallel()

	p := full(t)
	before := p.ContentHash()
	fields := 0

	eachLeaf(reflect.ValueOf(&p).Elem(), "", func(path string, leaf reflect.Value) {
		old := reflect.New(leaf.Type()).Elem()
		old.Set(leaf)
		defer leaf.Set(old)

		fields++

		change(t, path, leaf)

		if path == ".Name" || path == ".Hash" {
			require.Equal(t, before, p.ContentHash(), path)
		} else {
			require.NotEqual(t, before, p.ContentHash(), "%s is not part of the hash", path)
		}
	})

	require.Equal(t, before, p.ContentHash(), "the test puts everything back")
	require.Greater(t, fields, 40)
}

// TestEveryFieldThatIsOffLeavesTheHash: a policy of yesterday keeps its hash when a field is added.
func TestEveryFieldThatIsOffLeavesTheHash(t *testing.T) {
	t.Parallel()

	var empty, usual policy.Policy

	usual.Mode, usual.Disruption.Class = policy.ModeEnforce, policy.DisruptionRolling
	usual.Floor.CPUUtilisation = 0.5
	require.Equal(t, empty.ContentHash(), usual.ContentHash())

	p := policy.Default()
	require.Equal(t, "3cc7147a6a09dde9", p.ContentHash(), "the hash of a policy must not change from release to release")
}

func TestAWindowOfAllZeroIsAWindow(t *testing.T) {
	t.Parallel()

	var without, with policy.Policy

	with.Disruption.ScaleDown = []policy.TimeWindow{{}}
	require.NotEqual(t, without.ContentHash(), with.ContentHash())

	utc := policy.Policy{Disruption: policy.Disruption{ScaleDown: []policy.TimeWindow{{Location: time.UTC}}}}
	require.Equal(t, with.ContentHash(), utc.ContentHash())
}

// eachLeaf calls visit for every value that holds no others.
func eachLeaf(value reflect.Value, path string, visit func(string, reflect.Value)) {
	switch value.Kind() {
	case reflect.Struct:
		for i := range value.NumField() {
			eachLeaf(value.Field(i), path+"."+value.Type().Field(i).Name, visit)
		}
	case reflect.Slice:
		visit(path, value)

		for i := range value.Len() {
			eachLeaf(value.Index(i), path+"[]", visit)
		}
	default:
		visit(path, value)
	}
}

// change makes a value another one.
func change(t *testing.T, path string, value reflect.Value) {
	t.Helper()

	switch value.Kind() {
	case reflect.Int32, reflect.Int64, reflect.Int:
		value.SetInt(value.Int() + 1)
	case reflect.Float64:
		value.SetFloat(value.Float() + 0.01)
	case reflect.String:
		// Empty means the usual one, which no field of the policy has here.
		value.SetString(strings.Repeat("x", value.Len()+1))
	case reflect.Slice:
		value.Set(reflect.Append(value, value.Index(0)))
	case reflect.Pointer:
		require.IsType(t, &time.Location{}, value.Interface())
		value.Set(reflect.ValueOf(time.FixedZone("elsewhere", 1)))
	default:
		t.Fatalf("the test does not know how to change %s, a %s", path, value.Kind())
	}
}
