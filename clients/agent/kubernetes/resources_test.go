package kubernetes

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/resource"
	"pgregory.net/rapid"
)

// res makes resources of texts: requests of CPU and memory, and limits; an empty one is none.
func res(requestCPU, requestMemory, limitCPU, limitMemory string) resources {
	made := resources{Requests: make(map[string]quantity), Limits: make(map[string]quantity)}

	for _, one := range []struct {
		to         map[string]quantity
		name, text string
	}{
		{made.Requests, cpu, requestCPU},
		{made.Requests, memory, requestMemory},
		{made.Limits, cpu, limitCPU},
		{made.Limits, memory, limitMemory},
	} {
		if one.text != "" {
			one.to[one.name] = resource.MustParse(one.text)
		}
	}

	return made
}

func TestLimitsFollowRequests(t *testing.T) {
	t.Parallel()

	to := want{cpuMillis: 2000, memoryBytes: 4 << 30}

	for name, test := range map[string]struct {
		policy     LimitPolicy
		guaranteed bool
		has, gets  resources
	}{
		"the ratio stays":              {LimitsRatio, false, res("1", "2Gi", "3", "3Gi"), res("2", "4Gi", "6", "6Gi")},
		"no limit, no limit":           {LimitsRatio, false, res("1", "2Gi", "", "3Gi"), res("2", "4Gi", "", "6Gi")},
		"no request, no ratio":         {LimitsRatio, false, res("", "0", "1", "8Gi"), res("2", "4Gi", "2", "8Gi")},
		"a limit that is kept":         {LimitsKeep, false, res("1", "2Gi", "3", "8Gi"), res("2", "4Gi", "3", "8Gi")},
		"a limit that is too low":      {LimitsKeep, false, res("1", "2Gi", "1500m", "3Gi"), res("2", "4Gi", "2", "4Gi")},
		"limits equal to requests":     {LimitsRequest, false, res("1", "2Gi", "3", "3Gi"), res("2", "4Gi", "2", "4Gi")},
		"Guaranteed pods stay so":      {LimitsKeep, true, res("4", "8Gi", "4", "8Gi"), res("2", "4Gi", "2", "4Gi")},
		"none of anything":             {LimitsRatio, false, resources{}, res("2", "4Gi", "", "")},
		"a ratio that is not a number": {LimitsRatio, false, res("3", "3", "4", "4"), res("2", "4Gi", "2667m", "5726623062")},
	} {
		gets := test.policy.resized(test.has, to, test.guaranteed)
		require.True(t, same(test.gets, gets), "%s: %s", name, difference(test.gets, gets))
	}
}

func TestWhatIsNotControlledIsLeftAlone(t *testing.T) {
	t.Parallel()

	has := res("1", "2Gi", "2", "2Gi")
	has.Requests["example.com/gpu"] = resource.MustParse("1")

	gets := LimitsRatio.resized(has, want{memoryBytes: 4 << 30}, false)
	require.True(t, same(res("1", "4Gi", "2", "4Gi"), gets))
	require.Equal(t, has.Requests["example.com/gpu"], gets.Requests["example.com/gpu"])
	require.NotContains(t, gets.only().Requests, "example.com/gpu")
	require.True(t, same(res("1", "2Gi", "2", "2Gi"), has), "what was given is not changed")
	require.Equal(t, []string{memory}, changes(has, gets))
}

func TestScaledIsExact(t *testing.T) {
	t.Parallel()

	require.Equal(t, int64(math.MaxInt64), scaled(math.MaxInt64, 2, 1))

	rapid.Check(t, func(t *rapid.T) {
		size := rapid.Int64Range(1, math.MaxInt64)
		request, limit, of := size.Draw(t, "request"), size.Draw(t, "limit"), size.Draw(t, "of")

		exact := new(big.Int).Mul(big.NewInt(request), big.NewInt(limit))
		exact.Add(exact, big.NewInt(of-1)).Div(exact, big.NewInt(of)) // rounded up

		if exact.IsInt64() {
			require.Equal(t, exact.Int64(), scaled(request, limit, of))
		} else {
			require.Equal(t, int64(math.MaxInt64), scaled(request, limit, of))
		}
	})
}

// drawResources draws what a container may have by the rules of the API: no limit is below its request.
func drawResources(t *rapid.T) resources {
	made := resources{Requests: make(map[string]quantity), Limits: make(map[string]quantity)}

	for _, name := range sizes {
		request := rapid.Int64Range(1, 1<<40).Draw(t, name)

		switch rapid.IntRange(0, 3).Draw(t, name+" has") {
		case 0:
		case 1:
			made.Requests[name] = quantityOf(name, request)
		case 2:
			made.Requests[name], made.Limits[name] = quantityOf(name, request), quantityOf(name, request)
		default:
			made.Requests[name] = quantityOf(name, request)
			made.Limits[name] = quantityOf(name, rapid.Int64Range(request, 1<<41).Draw(t, name+" limit"))
		}
	}

	return made
}

func TestResourcesStayConsistent(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		spec := podSpec{Containers: []container{{Name: "db", Resources: drawResources(t)}, {Name: "x", Resources: drawResources(t)}}}
		to := want{rapid.Int64Range(0, 1<<40).Draw(t, "cpu"), rapid.Int64Range(0, 1<<40).Draw(t, "memory")}
		policy := rapid.SampledFrom([]LimitPolicy{LimitsRatio, LimitsKeep, LimitsRequest}).Draw(t, "policy")

		is, has := spec.qos(), spec.Containers[0].Resources
		gets := policy.resized(has, to, is == guaranteed)

		for _, name := range sizes {
			request, requested := gets.Requests[name]
			limit, limited := gets.Limits[name]
			_, before := has.Limits[name]

			require.Equal(t, before, limited, "a limit neither comes nor goes")

			if limited && requested {
				require.GreaterOrEqual(t, limit.Cmp(request), 0, "no limit is below its request")
			}

			if to.of(name) > 0 {
				require.Equal(t, to.of(name), amount(name, request))
			} else {
				require.True(t, equal(has.Requests, gets.Requests, name))
			}
		}

		require.True(t, same(gets, policy.resized(gets, to, is == guaranteed)), "what has its size stays as it is")

		would := spec.with("db", gets).qos()
		if is == guaranteed || policy == LimitsRatio && is != bestEffort && complete(has) {
			require.Equal(t, is, would)
		}

		require.Equal(t, is, spec.qos(), "the pod itself is not changed")
	})
}

// complete reports that both resources have requests, so that no new one comes.
func complete(r resources) bool { return len(r.Requests) == len(sizes) }

func TestClassesOfPods(t *testing.T) {
	t.Parallel()

	pods := func(all ...resources) (spec podSpec) {
		for _, each := range all {
			spec.Containers = append(spec.Containers, container{Resources: each})
		}

		return spec
	}

	for want, specs := range map[qosClass][]podSpec{
		bestEffort: {pods(resources{}), pods(resources{}, resources{})},
		burstable: {
			pods(res("1", "", "", "")), pods(res("1", "1Gi", "1", "")), pods(res("1", "1Gi", "1", "2Gi")),
			pods(res("1", "1Gi", "1", "1Gi"), resources{}),
		},
		guaranteed: {pods(res("1", "1Gi", "1", "1Gi")), pods(res("1", "1Gi", "1000m", "1024Mi"), res("2", "1", "2", "1"))},
	} {
		for _, spec := range specs {
			require.Equal(t, want, spec.qos())
		}
	}

	sidecar := pods(res("1", "1Gi", "1", "1Gi"))
	sidecar.InitContainers = []container{{Resources: res("1", "", "", "")}}
	require.Equal(t, burstable, sidecar.qos())
}
