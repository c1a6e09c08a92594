package policies_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/external"
	"github.com/tidemark-project/tidemark/recommender/leastcost"
	"github.com/tidemark-project/tidemark/recommender/policies"
	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/profile"
	"github.com/tidemark-project/tidemark/recommender/size"
	"github.com/tidemark-project/tidemark/recommender/threshold"
)

// inherited returns the policy that a/b has, given what the defaults and the policy say in flow style.
func inherited(tb testing.TB, defaults, own string) *policies.Effective {
	tb.Helper()

	s := parse(tb, "defaults: "+defaults+"\npolicies:\n  - {name: own, match: {services: [\"a/*\"]}, "+strings.TrimPrefix(own, "{")+"\n")
	requireExplained(tb, s, "a/b", nil)
	requireExplained(tb, s, "c/d", nil)

	return s.For("a/b", nil)
}

func TestInheritance(t *testing.T) {
	t.Parallel()

	for _, c := range []struct {
		name          string
		defaults, own string
		is            func(p *policy.Policy) any
		want          any
	}{
		{"nothing said", "{}", "{}", func(p *policy.Policy) any { return p.Max.CPUMillis }, int64(64_000)},
		{"said in the defaults", "{max: {cpu: 8}}", "{}", func(p *policy.Policy) any { return p.Max.CPUMillis }, int64(8000)},
		{"the rest of the map stays", "{max: {cpu: 8}}", "{max: {replicas: 2}}", func(p *policy.Policy) any { return []any{p.Max.CPUMillis, p.Max.MemoryBytes, p.MaxReplicas} }, []any{int64(8000), 256 * gib, int32(2)}},
		{"the policy has the last word", "{max: {cpu: 8}}", "{max: {cpu: 4}}", func(p *policy.Policy) any { return p.Max.CPUMillis }, int64(4000)},
		{"null resets a value", "{}", "{max: {cpu: null}}", func(p *policy.Policy) any { return p.Max }, size.Resources{MemoryBytes: 256 * gib}},
		{"null resets a map", "{}", "{max: null, min: ~}", func(p *policy.Policy) any { return p.Max.Max(p.Min) }, size.Resources{}},
		{"null resets in the defaults", "{max: null}", "{max: {cpu: 8}}", func(p *policy.Policy) any { return p.Max }, size.Resources{CPUMillis: 8000}},
		{"null of what is not there", "{}", "{catalogue: null, floor: null}", func(p *policy.Policy) any { return p.Floor }, policy.Floor{}},

		{"a list replaces", "{catalogue: [{cpu: 1, memory: 4Gi}]}", "{catalogue: [{cpu: 2, memory: 8Gi}]}", func(p *policy.Policy) any { return p.Catalogue }, []size.Resources{{CPUMillis: 2000, MemoryBytes: 8 * gib}}},
		{"a catalogue drops the step", "{step: {cpu: 1}}", "{catalogue: [{cpu: 1, memory: 4Gi}]}", func(p *policy.Policy) any { return []any{p.StepCPUMillis, p.StepMemoryBytes} }, []any{int64(0), int64(0)}},
		{"a step drops the catalogue", "{catalogue: [{cpu: 1, memory: 4Gi}]}", "{step: {cpu: 1}}", func(p *policy.Policy) any { return []any{p.StepCPUMillis, p.StepMemoryBytes, len(p.Catalogue)} }, []any{int64(1000), int64(0), 0}},
		{"a reset step keeps the catalogue", "{catalogue: [{cpu: 1, memory: 4Gi}]}", "{step: null}", func(p *policy.Policy) any { return len(p.Catalogue) }, 1},
		{"a reset catalogue brings no step back", "{catalogue: [{cpu: 1, memory: 4Gi}]}", "{catalogue: null}", func(p *policy.Policy) any { return []any{len(p.Catalogue), p.StepCPUMillis} }, []any{0, int64(0)}},
		{"a catalogue is sorted", "{}", "{catalogue: [{cpu: 2, memory: 8Gi}, {cpu: 1, memory: 8Gi}, {cpu: 1, memory: 4Gi}]}", func(p *policy.Policy) any { return p.Catalogue }, []size.Resources{{CPUMillis: 1000, MemoryBytes: 4 * gib}, {CPUMillis: 1000, MemoryBytes: 8 * gib}, {CPUMillis: 2000, MemoryBytes: 8 * gib}}},

		{"a ratio implies the memory step", "{}", "{memory_per_core: 4Gi}", func(p *policy.Policy) any { return []any{p.StepCPUMillis, p.StepMemoryBytes} }, []any{int64(250), int64(0)}},
		{"a ratio with a step", "{}", "{memory_per_core: 4Gi, step: {cpu: 1, memory: 4Gi}}", func(p *policy.Policy) any { return p.StepMemoryBytes }, 4 * gib},
		{"a ratio without a step", "{step: null}", "{memory_per_core: 4Gi}", func(p *policy.Policy) any { return p.StepCPUMillis }, int64(0)},

		{"a mode for all", "{mode: {cpu: off}}", "{mode: up-only}", func(p *policy.Policy) any { return []any{p.Mode, p.Permissions} }, []any{policy.ModeUpOnly, policy.Permissions{}}},
		{"an exception keeps the rest", "{mode: observe-only}", "{mode: {cpu: up-only}}", func(p *policy.Policy) any { return []any{p.Mode, p.Permissions.CPU, p.Permissions.Memory} }, []any{policy.ModeObserveOnly, policy.Permission{Up: policy.ModeEnforce, Down: policy.ModeOff}, policy.Permission{}}},
		{"exceptions add up", "{mode: {cpu: off}}", "{mode: {memory: {down: off}}}", func(p *policy.Policy) any { return p.Permissions }, policy.Permissions{CPU: policy.Permission{Up: policy.ModeOff, Down: policy.ModeOff}, Memory: policy.Permission{Down: policy.ModeOff}}},
		{"half of an exception", "{mode: {cpu: off}}", "{mode: {cpu: {up: enforce}}}", func(p *policy.Policy) any { return p.Permissions.CPU }, policy.Permission{Up: policy.ModeEnforce, Down: policy.ModeOff}},
		{"an exception is reset", "{mode: {cpu: off}}", "{mode: {cpu: null, default: off}}", func(p *policy.Policy) any { return []any{p.Mode, p.Permissions} }, []any{policy.ModeOff, policy.Permissions{}}},
		{"a mode is reset", "{mode: {cpu: off, default: off}}", "{mode: null}", func(p *policy.Policy) any { return []any{p.Mode.OrDefault(), p.Permissions} }, []any{policy.ModeEnforce, policy.Permissions{}}},

		{"a floor with what is usual", "{}", "{floor: {window: 1d}}", func(p *policy.Policy) any { return p.Floor }, policy.Floor{Window: 24 * time.Hour, CPUUtilisation: 0.75, MemoryMultiplier: 1.1}},
		{"a floor with no window is none", "{floor: {cpu_utilisation: 50%}}", "{}", func(p *policy.Policy) any { return p.Floor }, policy.Floor{}},
		{"windows are replaced", "{disruption: {scale_down_windows: [{}, {}]}}", "{disruption: {scale_down_windows: []}}", func(p *policy.Policy) any { return len(p.Disruption.ScaleDown) }, 0},
		{"a stretch over the end of the week", "{}", "{disruption: {scale_down_windows: [{days: [Sat-mon, Thursday]}]}}", func(p *policy.Policy) any { return p.Disruption.ScaleDown[0].Days }, []time.Weekday{time.Saturday, time.Sunday, time.Monday, time.Thursday}},
	} {
		got := inherited(t, c.defaults, c.own)
		require.Equal(t, c.want, c.is(&got.Policy), c.name)
	}
}

func TestParametersOfTheSameRecommenderAreInherited(t *testing.T) {
	t.Parallel()

	// The profile is the policy's; what the defaults change of it stays changed.
	got := inherited(t, "{recommender: {least_cost: {cpu: {price: 5}}}}", "{recommender: {least_cost: {profile: lean, min_coverage: 0.5}}}")
	params := leastcost.Lean()
	params.CPU.Price, params.MinCoverage = 5, 0.5
	want, err := leastcost.New(params)
	require.NoError(t, err)
	require.Equal(t, want, got.Recommender)

	// Another one knows nothing of them.
	got = inherited(t, "{recommender: {two_window: {min_coverage: 50%}}}", "{recommender: {threshold: {cpu: {max: 70%}}}}")
	other := threshold.Defaults()
	other.CPU.Max = 0.7
	byThreshold, err := threshold.New(other)
	require.NoError(t, err)
	require.Equal(t, byThreshold, got.Recommender)

	// The other way to ask replaces the one that is inherited.
	got = inherited(t, `{recommender: {external: {url: "http://a", timeout: 1s}}}`, `{recommender: {external: {grpc: "b:1"}}}`)
	require.Equal(t, external.Endpoint{Protocol: external.ProtocolGRPC, Address: "b:1"}, got.External.Endpoint)
	require.Equal(t, time.Second, got.External.Timeout)
}

func TestNullTakesParametersBack(t *testing.T) {
	t.Parallel()

	stable := inherited(t, "{}", "{recommender: {profile: stable}}").Recommender
	usual := inherited(t, "{}", "{}").Recommender

	for own, want := range map[string]recommender.Recommender{
		"{two_window: {cpu_target: null}}": stable, "{two_window: null}": stable, "null": usual,
	} {
		got := inherited(t, "{recommender: {two_window: {cpu_target: 60%}}}", "{recommender: "+own+"}")
		require.Equal(t, want, got.Recommender, own)
	}

	require.Equal(t, usual, inherited(t, "{recommender: {percentile: {}}}", "{recommender: null}").Recommender)
}

func TestProfiles(t *testing.T) {
	t.Parallel()

	for _, name := range profile.Names() {
		want, err := profile.New(name)
		require.NoError(t, err)
		require.Equal(t, want, inherited(t, "{}", "{recommender: {profile: "+name+"}}").Recommender, name)

		// The long form, which names the recommender as well.
		long := "{recommender: {" + want.Name() + ": {profile: " + name + "}}}"
		require.Equal(t, want, inherited(t, "{recommender: {percentile: {}}}", long).Recommender, name)
	}
}

// leaves are fields that do not depend on each other, each with a way to see its value.
var leaves = []struct {
	path   string
	values []string
	see    func(p *policy.Policy) string
	unset  string
	usual  string
}{
	{"min.replicas", []string{"1", "2"}, func(p *policy.Policy) string { return strconv.Itoa(int(p.MinReplicas)) }, "0", "0"},
	{"max.replicas", []string{"7", "8"}, func(p *policy.Policy) string { return strconv.Itoa(int(p.MaxReplicas)) }, "0", "0"},
	{"max.cpu", []string{"8", "16"}, func(p *policy.Policy) string { return size.FormatCPU(p.Max.CPUMillis) }, "0", "64"},
	{"max.memory", []string{"64Gi", "32Gi"}, func(p *policy.Policy) string { return size.FormatMemory(p.Max.MemoryBytes) }, "0", "256Gi"},
	{"max_step.up.cpu", []string{"1", "2"}, func(p *policy.Policy) string { return size.FormatCPU(p.StepUp.Size.CPUMillis) }, "0", "0"},
	{"max_step.up.replicas", []string{"1", "2"}, func(p *policy.Policy) string { return strconv.Itoa(int(p.StepUp.Size.Replicas)) }, "0", "0"},
	{"max_step.down.replicas", []string{"1", "2"}, func(p *policy.Policy) string { return strconv.Itoa(int(p.StepDown.Size.Replicas)) }, "0", "0"},
	{"cool_down.up", []string{"1m0s", "2m0s"}, func(p *policy.Policy) string { return p.CoolDown.Up.String() }, "0s", "0s"},
	{"mode.memory.down", []string{"off", "observe-only"}, func(p *policy.Policy) string { return string(p.Permissions.Memory.Down) }, "", ""},
	{"disruption.min_replicas", []string{"2", "3"}, func(p *policy.Policy) string { return strconv.Itoa(int(p.Disruption.MinReplicas)) }, "0", "0"},
	{"disruption.min_change.up", []string{"0.5", "0.25"}, func(p *policy.Policy) string { return fmt.Sprint(p.Disruption.MinUp) }, "0", "0"},
}

// TestTheNearestLayerThatSaysSomethingWins draws what the defaults and the policy say of each field, if anything.
func TestTheNearestLayerThatSaysSomethingWins(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var layers [2]map[string]any

		want := map[string]string{}

		for i := range layers {
			layers[i] = map[string]any{}
		}

		for _, leaf := range leaves {
			want[leaf.path] = leaf.usual

			for i := range layers {
				switch said := rapid.SampledFrom(append([]string{"nothing", "null"}, leaf.values...)).Draw(rt, leaf.path); said {
				case "nothing":
				case "null":
					put(layers[i], leaf.path, said)
					want[leaf.path] = leaf.unset
				default:
					put(layers[i], leaf.path, said)
					want[leaf.path] = said
				}
			}
		}

		got := inherited(t, show(layers[0]), show(layers[1]))
		for _, leaf := range leaves {
			require.Equal(rt, want[leaf.path], leaf.see(&got.Policy), leaf.path)
		}
	})
}

func put(in map[string]any, path, value string) {
	first, rest, more := strings.Cut(path, ".")
	if !more {
		in[first] = value

		return
	}

	if in[first] == nil {
		in[first] = map[string]any{}
	}

	put(in[first].(map[string]any), rest, value)
}

func show(value any) string {
	fields, isMap := value.(map[string]any)
	if !isMap {
		return value.(string)
	}

	parts := make([]string, 0, len(fields))
	for name, v := range fields {
		parts = append(parts, name+": "+show(v))
	}

	return "{" + strings.Join(parts, ", ") + "}"
}
