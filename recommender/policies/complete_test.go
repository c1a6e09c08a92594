package policies

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/recommender/external"
	"github.com/tidemark-project/tidemark/recommender/leastcost"
	"github.com/tidemark-project/tidemark/recommender/percentile"
	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/replicas"
	"github.com/tidemark-project/tidemark/recommender/size"
	"github.com/tidemark-project/tidemark/recommender/threshold"
	"github.com/tidemark-project/tidemark/recommender/twowindow"
)

// TestAFileCanSayEverything: each field of a policy and of the parameters of each recommender, also those that are added
// later, can be written in a file.
func TestAFileCanSayEverything(t *testing.T) {
	t.Parallel()

	p := policy.Default()
	p.Catalogue = []size.Resources{{CPUMillis: 1000, MemoryBytes: 1 << 30}}
	p.Disruption.ScaleDown = []policy.TimeWindow{{Days: []time.Weekday{time.Monday}, Location: time.UTC}}
	requireSaid(t, &p, policyFields, ".Name", ".Hash")

	byWindows := twowindow.Defaults()
	requireSaid(t, &byWindows, twoWindowFields)

	byCost := leastcost.Balanced()
	requireSaid(t, &byCost, leastCostFields)

	byThreshold := threshold.Defaults()
	byThreshold.Templates = []threshold.Template{{Name: "small"}}
	requireSaid(t, &byThreshold, thresholdFields)

	byPercentile := percentile.Defaults()
	requireSaid(t, &byPercentile, percentileFields)

	byReplicas := replicas.Defaults()
	requireSaid(t, &byReplicas, replicasFields)

	byAdvice := external.Defaults()
	byAdvice.Endpoint = external.Endpoint{Protocol: external.ProtocolHTTP, Address: "http://advisor"}
	requireSaid(t, &byAdvice, externalFields)
}

// requireSaid changes one value after the other and checks that what is written changes.
func requireSaid[T any](t *testing.T, value *T, fields []field[T], but ...string) {
	t.Helper()

	before := flow(writeFields(value, fields))

	eachValue(reflect.ValueOf(value).Elem(), "", func(path string, leaf reflect.Value) {
		if slices.Contains(but, path) {
			return
		}

		old := reflect.New(leaf.Type()).Elem()
		old.Set(leaf)
		defer leaf.Set(old)

		alter(t, leaf)
		require.NotEqual(t, before, flow(writeFields(value, fields)), "%T%s cannot be said", *value, path)
	})
}

func eachValue(value reflect.Value, path string, visit func(string, reflect.Value)) {
	switch {
	case value.Kind() == reflect.Struct:
		for i := range value.NumField() {
			eachValue(value.Field(i), path+"."+value.Type().Field(i).Name, visit)
		}
	case value.Kind() == reflect.Slice && value.Len() > 0 && value.Index(0).Kind() == reflect.Struct:
		eachValue(value.Index(0), path+"[0]", visit)
	default:
		visit(path, value)
	}
}

func alter(t *testing.T, value reflect.Value) {
	t.Helper()

	if value.Type() == reflect.TypeFor[time.Duration]() {
		value.SetInt(value.Int() + int64(time.Minute)) // a time of the day has no seconds

		return
	}

	switch value.Kind() {
	case reflect.Bool:
		value.SetBool(!value.Bool())
	case reflect.Int32, reflect.Int64, reflect.Int:
		value.SetInt(value.Int() + 1)
	case reflect.Float64:
		value.SetFloat(value.Float() + 0.01)
	case reflect.String:
		value.SetString(value.String() + "x")
	case reflect.Slice:
		value.Set(reflect.Append(value, value.Index(0)))
	case reflect.Pointer:
		value.Set(reflect.ValueOf(time.FixedZone("elsewhere", 1)))
	default:
		t.Fatalf("the test does not know how to change %s", value.Type())
	}
}
