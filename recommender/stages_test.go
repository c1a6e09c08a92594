package recommender_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/size"
	"github.com/tidemark-project/tidemark/recommender/usage"
)

// wants proposes a size, with the number of replicas.
func wants(s size.Size) proposer {
	return proposer{proposal: recommender.Proposal{Need: s.Resources(), Replicas: s.Replicas}}
}

// replicated is 8 cores and 32 GiB, which is what input allocates, times a number of replicas.
func replicated(replicas int32) size.Size {
	return size.Size{CPUMillis: 8_000, MemoryBytes: 32 * gib, Replicas: replicas}
}

func sized(cpuMillis, gibibytes int64, replicas int32) size.Size {
	return size.Size{CPUMillis: cpuMillis, MemoryBytes: gibibytes * gib, Replicas: replicas}
}

func share(up, down float64) policy.Policy {
	return policy.Policy{StepUp: policy.StepLimit{Share: up}, StepDown: policy.StepLimit{Share: down}}
}

var ladder = []size.Resources{
	of(1_000, 4).Resources(), of(2_000, 8).Resources(), of(4_000, 16).Resources(), of(8_000, 32).Resources(),
	of(16_000, 64).Resources(), of(32_000, 128).Resources(),
}

func TestStages(t *testing.T) {
	t.Parallel()

	const (
		ok      = recommender.StatusOK
		limited = recommender.StatusLimited
		hold    = recommender.StatusHold
	)

	changed := func(up, down time.Duration) recommender.State {
		state := recommender.State{Scaling: recommender.Scaling{Allocation: replicated(2)}}
		if up > 0 {
			state.Scaling.UpTime = noon.Add(-up)
		}

		if down > 0 {
			state.Scaling.DownTime = noon.Add(-down)
		}

		return state
	}
	cool := policy.Policy{CoolDown: policy.CoolDown{Up: 5 * time.Minute, Down: time.Hour}}
	worth := policy.Policy{Disruption: policy.Disruption{MinUp: 0.03, MinDown: 0.1}}
	apart := policy.Policy{Disruption: policy.Disruption{MinReplicas: 3}}
	nightly := policy.Policy{Disruption: policy.Disruption{
		ScaleDown: []policy.TimeWindow{{From: 22 * time.Hour, To: 6 * time.Hour}},
	}}
	absolute := policy.Policy{StepUp: policy.StepLimit{Size: size.Size{CPUMillis: 2_000, Replicas: 1}}}
	bounded := policy.Policy{MinReplicas: 2, MaxReplicas: 4}

	for name, c := range map[string]struct {
		policy policy.Policy
		state  recommender.State
		want   size.Size
		get    size.Size
		status recommender.Status
		reason recommender.Reason
	}{
		"replicas within bounds": {bounded, recommender.State{}, replicated(3), replicated(3), ok, 0},
		"replicas over":          {bounded, recommender.State{}, replicated(9), replicated(4), limited, recommender.ReasonLimitedByMax},
		"replicas under":         {bounded, recommender.State{}, replicated(1), replicated(2), ok, recommender.ReasonRaisedToMin},

		"step up, share":          {share(0.5, 0.5), recommender.State{}, sized(16_000, 64, 8), sized(12_000, 48, 3), limited, recommender.ReasonStepLimited},
		"step down, share":        {share(0.5, 0.5), recommender.State{}, sized(1_000, 4, 1), sized(4_000, 16, 1), ok, recommender.ReasonStepLimited},
		"step within":             {share(0.5, 0.5), recommender.State{}, sized(12_000, 16, 3), sized(12_000, 16, 3), ok, 0},
		"step up, amount":         {absolute, recommender.State{}, sized(16_000, 64, 8), sized(10_000, 64, 3), limited, recommender.ReasonStepLimited},
		"step up, catalogue":      {catalogued(share(0.5, 0)), recommender.State{}, sized(32_000, 128, 2), sized(16_000, 64, 2), limited, recommender.ReasonStepLimited},
		"step down, catalogue":    {catalogued(share(0, 0.1)), recommender.State{}, sized(1_000, 4, 2), sized(4_000, 16, 2), ok, recommender.ReasonStepLimited},
		"step down, coarse steps": {policy.Policy{StepCPUMillis: 2_000, StepDown: policy.StepLimit{Share: 0.01}}, recommender.State{}, sized(1_000, 32, 2), sized(6_000, 32, 2), ok, recommender.ReasonStepLimited},

		"rise is worth it":        {worth, recommender.State{}, sized(8_240, 32, 2), sized(8_240, 32, 2), ok, 0},
		"rise is not worth it":    {worth, recommender.State{}, sized(8_239, 32, 2), replicated(2), hold, recommender.ReasonSmallChange},
		"fall is worth it":        {worth, recommender.State{}, sized(7_200, 32, 2), sized(7_200, 32, 2), ok, 0},
		"fall is not worth it":    {worth, recommender.State{}, sized(7_201, 32, 2), replicated(2), hold, recommender.ReasonSmallChange},
		"one is worth both":       {worth, recommender.State{}, sized(7_999, 40, 2), sized(7_999, 40, 2), ok, 0},
		"beyond the maximum":      {policy.Policy{Max: of(7_900, 40).Resources(), Disruption: policy.Disruption{MinDown: 0.5}}, recommender.State{}, replicated(2), sized(7_900, 32, 2), limited, recommender.ReasonLimitedByMax},
		"too few to be disturbed": {apart, recommender.State{}, sized(16_000, 64, 4), replicated(4), ok, recommender.ReasonTooFewReplicas},

		"fall by night only": {nightly, recommender.State{}, sized(4_000, 64, 1), sized(8_000, 64, 2), ok, recommender.ReasonOutsideWindow},

		"never changed":          {cool, changed(0, 0), sized(9_000, 16, 1), sized(9_000, 16, 1), ok, 0},
		"rose just now":          {cool, changed(time.Minute, 0), sized(9_000, 33, 3), replicated(2), hold, recommender.ReasonCoolDown},
		"rose a while ago, up":   {cool, changed(5*time.Minute, 0), sized(9_000, 33, 3), sized(9_000, 33, 3), ok, 0},
		"rose a while ago, down": {cool, changed(59*time.Minute, 0), sized(7_000, 31, 1), replicated(2), hold, recommender.ReasonCoolDown},
		"rose long ago":          {cool, changed(time.Hour, 0), sized(7_000, 31, 1), sized(7_000, 31, 1), ok, 0},
		"fell just now, up":      {cool, changed(0, time.Second), sized(9_000, 33, 3), sized(9_000, 33, 3), ok, 0},
		"fell just now, down":    {cool, changed(0, time.Second), sized(7_000, 31, 1), replicated(2), hold, recommender.ReasonCoolDown},
		"rises in the far future": {
			cool,
			recommender.State{Scaling: recommender.Scaling{Allocation: replicated(2), UpTime: noon.Add(48 * time.Hour)}},
			sized(9_000, 31, 3), sized(9_000, 31, 3), ok, 0,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			in := input(c.policy)
			in.Allocation = replicated(2)
			in.State = c.state

			got := recommender.Decide(wants(c.want), in)
			require.Equal(t, c.get, got.Recommended)
			require.Equal(t, c.status, got.Status)
			require.Equal(t, recommender.CompareSizes(in.Allocation, c.get), got.Direction)
			requireAccount(t, got)

			if c.reason != 0 {
				require.Contains(t, got.Reasons, c.reason)
			}
		})
	}
}

func catalogued(p policy.Policy) policy.Policy {
	p.Catalogue = ladder

	return p
}

func TestPermissions(t *testing.T) {
	t.Parallel()

	const (
		enforce = policy.ModeEnforce
		observe = policy.ModeObserveOnly
		off     = policy.ModeOff
	)

	both := func(mode policy.Mode) policy.Permission { return policy.Permission{Up: mode, Down: mode} }

	for name, c := range map[string]struct {
		policy             policy.Policy
		want, get, observe size.Size
		mode               policy.Mode
		reason             recommender.Reason
	}{
		"memory observed": {
			policy.Policy{Permissions: policy.Permissions{Memory: both(observe)}},
			sized(9_000, 40, 3), sized(9_000, 32, 3), sized(9_000, 40, 3), enforce, recommender.ReasonModeObserveOnly,
		},
		"only memory changes, and is observed": {
			policy.Policy{Permissions: policy.Permissions{Memory: both(observe)}},
			sized(8_000, 40, 2), sized(8_000, 40, 2), sized(8_000, 40, 2), observe, recommender.ReasonModeObserveOnly,
		},
		"memory may not fall": {
			policy.Policy{Permissions: policy.Permissions{Memory: policy.Permission{Down: off}}},
			sized(4_000, 16, 2), sized(4_000, 32, 2), sized(4_000, 32, 2), enforce, recommender.ReasonModeUpOnly,
		},
		"CPU may not rise": {
			policy.Policy{Permissions: policy.Permissions{CPU: policy.Permission{Up: off}}},
			sized(9_000, 40, 2), sized(8_000, 40, 2), sized(8_000, 40, 2), enforce, recommender.ReasonModeOff,
		},
		"number off": {
			policy.Policy{Permissions: policy.Permissions{Replicas: both(off)}},
			sized(9_000, 32, 4), sized(9_000, 32, 2), sized(9_000, 32, 2), enforce, recommender.ReasonModeOff,
		},
		"all observed but CPU": {
			policy.Policy{Mode: observe, Permissions: policy.Permissions{CPU: both(enforce)}},
			sized(9_000, 40, 4), sized(9_000, 32, 2), sized(9_000, 40, 4), enforce, recommender.ReasonModeObserveOnly,
		},
		"all off but CPU's rise": {
			policy.Policy{Mode: off, Permissions: policy.Permissions{CPU: policy.Permission{Up: enforce}}},
			sized(9_000, 16, 4), sized(9_000, 32, 2), sized(9_000, 32, 2), enforce, recommender.ReasonModeOff,
		},
		"up only but CPU's fall": {
			policy.Policy{Mode: policy.ModeUpOnly, Permissions: policy.Permissions{CPU: policy.Permission{Down: enforce}}},
			sized(4_000, 40, 2), sized(4_000, 40, 2), sized(4_000, 40, 2), enforce, 0,
		},
		"a small change beside one that is off": {
			policy.Policy{
				Disruption:  policy.Disruption{MinUp: 0.1, MinDown: 0.1},
				Permissions: policy.Permissions{CPU: policy.Permission{Up: off}},
			},
			sized(16_000, 31, 2), sized(8_000, 32, 2), sized(8_000, 31, 2), enforce, recommender.ReasonSmallChange,
		},
		"a fall that is off is not rounded up": {
			policy.Policy{MemoryPerCoreBytes: 4 * gib, StepCPUMillis: 3_000, Mode: policy.ModeUpOnly},
			sized(1_000, 4, 2), sized(8_000, 32, 2), sized(8_000, 32, 2), policy.ModeUpOnly, recommender.ReasonModeUpOnly,
		},
		"a pair goes together": {
			policy.Policy{MemoryPerCoreBytes: 4 * gib, Permissions: policy.Permissions{Memory: both(observe)}},
			sized(9_000, 36, 3), sized(8_000, 32, 3), sized(9_000, 36, 3), enforce, recommender.ReasonModeObserveOnly,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			in := input(c.policy)
			in.Allocation = replicated(2)

			got := recommender.Decide(wants(c.want), in)
			require.Equal(t, c.get, got.Recommended)
			require.Equal(t, c.observe, got.Observed)
			require.Equal(t, c.mode, got.Mode)
			requireAccount(t, got)

			if c.reason != 0 {
				require.Contains(t, got.Reasons, c.reason)
			}
		})
	}
}

func TestReplicasBeyondAllReason(t *testing.T) {
	t.Parallel()

	in := input(policy.Policy{StepUp: policy.StepLimit{Share: 1}, MaxReplicas: 5})
	in.Allocation.Replicas = 2_147_483_000
	require.Equal(t, in.Allocation, recommender.Decide(wants(size.Size{}), in).Recommended, "not known, so left alone")

	in.Allocation = replicated(10)
	require.EqualValues(t, 10, recommender.Decide(needs(8_000, 32), in).Recommended.Replicas, "nobody asked")

	for wanted := range int32(20) {
		got := recommender.Decide(wants(replicated(wanted+1)), in).Recommended.Replicas
		require.LessOrEqual(t, got, int32(5), "%d were asked for", wanted+1)
	}
}

func TestFloorRemembers(t *testing.T) {
	t.Parallel()

	const week = 7 * 24 * time.Hour

	for name, c := range map[string]struct {
		seen      usage.Window
		want, get size.Size
	}{
		"keeps from falling":    {usage.Window{CPUPeakMillis: 3_000, ResidentMemoryPeakBytes: 20 * gib}, of(1_000, 4), of(6_000, 25)},
		"raises nothing":        {usage.Window{CPUPeakMillis: 30_000, ResidentMemoryPeakBytes: 200 * gib}, of(1_000, 4), of(8_000, 32)},
		"the need is larger":    {usage.Window{CPUPeakMillis: 3_000, ResidentMemoryPeakBytes: 20 * gib}, of(9_000, 40), of(9_000, 40)},
		"knows nothing":         {usage.Window{}, of(1_000, 4), of(8_000, 32)},
		"sees what cannot be":   {usage.Window{CPUPeakMillis: 500, ResidentMemoryPeakBytes: 1 << 60}, of(1_000, 4), of(1_000, 32)},
		"CPU only, memory less": {usage.Window{CPUPeakMillis: 3_500, ResidentMemoryPeakBytes: gib}, of(1_000, 4), of(7_000, 4)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			in := input(policy.Policy{Floor: policy.Floor{Window: week, CPUUtilisation: 0.5, MemoryMultiplier: 1.25}})
			c.seen.Length, c.seen.Coverage = week, 1
			in.Usage.Windows = append(in.Usage.Windows, c.seen)

			got := recommender.Decide(needs(c.want.CPUMillis, c.want.MemoryBytes/gib), in)
			require.Equal(t, c.get, got.Recommended)
			requireAccount(t, got)
		})
	}
}

func TestScalingIsSeen(t *testing.T) {
	t.Parallel()

	in := input(policy.Policy{})
	step := func(allocation size.Size, after time.Duration) recommender.Scaling {
		in.Allocation, in.Now = allocation, in.Now.Add(after)
		in.State = recommender.Decide(wants(allocation), in).State

		return in.State.Scaling
	}

	first := step(replicated(2), 0)
	require.Equal(t, recommender.Scaling{Allocation: replicated(2)}, first, "the first sight is no change")

	up := step(sized(9_000, 16, 2), time.Minute)
	require.Equal(t, in.Now, up.UpTime)
	require.Equal(t, in.Now, up.DownTime, "memory fell")

	same := step(sized(9_000, 16, 2), time.Minute)
	require.Equal(t, up, same)

	unknown := step(sized(9_000, 16, 0), time.Minute)
	require.Equal(t, same.UpTime, unknown.UpTime)
	require.Equal(t, same.DownTime, unknown.DownTime, "a number that is not known is no fall")

	grown := step(sized(9_000, 16, 5), time.Minute)
	require.Equal(t, same.UpTime, grown.UpTime, "nor is it a rise when it is known again")

	in.Allocation = size.Size{}
	require.Equal(t, grown, recommender.Decide(wants(size.Size{}), in).State.Scaling)
}
