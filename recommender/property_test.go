package recommender_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/size"
	"github.com/tidemark-project/tidemark/recommender/usage"
)

func drawSize(t *rapid.T, label string) size.Size {
	return sized(
		rapid.Int64Range(1, 400).Draw(t, label+" CPU")*100,
		rapid.Int64Range(1, 200).Draw(t, label+" memory"),
		rapid.Int32Range(1, 9).Draw(t, label+" replicas"),
	)
}

func drawPermission(t *rapid.T, label string) policy.Permission {
	modes := []policy.Mode{"", "", policy.ModeEnforce, policy.ModeObserveOnly, policy.ModeOff}

	return policy.Permission{
		Up:   rapid.SampledFrom(modes).Draw(t, label+" up"),
		Down: rapid.SampledFrom(modes).Draw(t, label+" down"),
	}
}

// drawPolicy draws a policy with any of the rules that need to know more than a need.
func drawPolicy(t *rapid.T) policy.Policy {
	p := rapid.SampledFrom([]policy.Policy{
		{},
		{StepCPUMillis: 300, StepMemoryBytes: 3 * gib},
		{MemoryPerCoreBytes: 4 * gib, StepCPUMillis: 500},
		{Catalogue: ladder},
		{Catalogue: []size.Resources{of(2_000, 16).Resources(), of(4_000, 8).Resources(), of(8_000, 16).Resources(), of(16_000, 64).Resources()}},
	}).Draw(t, "shape")
	limit := func(label string) policy.StepLimit {
		return policy.StepLimit{Share: rapid.SampledFrom([]float64{0, 0, 0.01, 0.5, 1}).Draw(t, label)}
	}
	span := func(label string) time.Duration {
		return rapid.SampledFrom([]time.Duration{0, 0, time.Minute, time.Hour}).Draw(t, label)
	}

	if rapid.Bool().Draw(t, "bounded") {
		p.Min, p.Max = of(2_000, 8).Resources(), of(16_000, 64).Resources()
		p.MinReplicas, p.MaxReplicas = 2, 5
	}

	p.Name = "p"
	p.StepUp, p.StepDown = limit("step up"), limit("step down")
	p.CoolDown = policy.CoolDown{Up: span("cool-down up"), Down: span("cool-down down")}
	p.Mode = rapid.SampledFrom(policy.Modes()).Draw(t, "mode")
	p.Permissions.CPU = drawPermission(t, "CPU")
	p.Permissions.Memory = drawPermission(t, "memory")
	p.Permissions.Replicas = drawPermission(t, "replicas")
	p.Disruption.MinDown = rapid.SampledFrom([]float64{0, 0.1}).Draw(t, "smallest fall")
	p.Disruption.MinUp = rapid.SampledFrom([]float64{0, 0.05}).Draw(t, "smallest rise")

	if rapid.Bool().Draw(t, "floored") {
		p.Floor = policy.Floor{Window: time.Hour, CPUUtilisation: 0.5, MemoryMultiplier: 1.2}
	}

	require.NoError(t, p.Validate())

	return p
}

func drawInput(t *rapid.T) recommender.Input {
	in := input(drawPolicy(t))
	in.Allocation = drawSize(t, "allocation")
	in.Usage.Windows[0].CPUPeakMillis = rapid.Int64Range(1, 9_000).Draw(t, "CPU peak")
	in.Usage.Windows[0].ResidentMemoryPeakBytes = rapid.Int64Range(1, 50).Draw(t, "memory peak") * gib

	if rapid.Bool().Draw(t, "changed before") {
		age := func(label string) time.Time {
			return noon.Add(-time.Duration(rapid.IntRange(1, 7200).Draw(t, label)) * time.Second)
		}
		in.State.Scaling = recommender.Scaling{Allocation: in.Allocation, UpTime: age("rise"), DownTime: age("fall")}
	}

	return in
}

func TestEveryChangeIsAccountedFor(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		in := drawInput(t)
		got := recommender.Decide(wants(drawSize(t, "need")), in)

		for _, resource := range size.Both() {
			amount := got.Uncapped.Resources().Get(resource)

			for _, a := range got.Explanation.Adjustments {
				if a.Resource == resource {
					require.Equal(t, amount, a.Before)
					amount = a.After
				}
			}

			require.Equal(t, got.Recommended.Resources().Get(resource), amount)
		}

		require.Equal(t, recommender.CompareSizes(in.Allocation, got.Recommended), got.Direction)
	})
}

// What is forbidden does not happen: no rise that is off, no fall that is off, nothing within its cool-down.
func TestRulesHold(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		in := drawInput(t)
		p := &in.Policy
		got := recommender.Decide(wants(drawSize(t, "need")), in)
		scaling := in.State.Scaling

		for _, c := range []struct {
			resource size.Resource
			from, to int64
		}{
			{size.CPU, in.Allocation.CPUMillis, got.Observed.CPUMillis},
			{size.Memory, in.Allocation.MemoryBytes, got.Observed.MemoryBytes},
			{size.Replicas, int64(in.Allocation.Replicas), int64(got.Observed.Replicas)},
		} {
			rises, falls := c.to > c.from, c.to < c.from

			require.False(t, rises && p.Permits(c.resource, true) == policy.ModeOff, "%s rises", c.resource)
			require.False(t, falls && p.Permits(c.resource, false) == policy.ModeOff, "%s falls", c.resource)

			if !scaling.UpTime.IsZero() {
				require.False(t, rises && in.Now.Sub(scaling.UpTime) < p.CoolDown.Up && !p.Coupled(), "%s rises again", c.resource)
				require.False(t, falls && in.Now.Sub(scaling.UpTime) < p.CoolDown.Down, "%s falls after a rise", c.resource)
				require.False(t, falls && in.Now.Sub(scaling.DownTime) < p.CoolDown.Down, "%s falls again", c.resource)
			}
		}
	})
}

// Whatever is to be looked at only is not in what is to be acted on, unless the whole answer is marked as such.
func TestObservedIsNotEnforced(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		in := drawInput(t)
		got := recommender.Decide(wants(drawSize(t, "need")), in)

		if got.Mode == policy.ModeObserveOnly {
			require.Equal(t, got.Observed, got.Recommended)

			return
		}

		for _, resource := range size.Both() {
			from, to := in.Allocation.Resources().Get(resource), got.Recommended.Resources().Get(resource)
			if from != to {
				require.Equal(t, policy.ModeEnforce, in.Policy.Permits(resource, to > from), resource)
			}
		}
	})
}

// A need that stays the same leads, answer by answer, to a size that stays the same: within a bounded number of changes,
// each of which goes towards it, and without ever turning back.
func TestAConstantNeedIsReachedWithoutOscillation(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		in := drawInput(t)
		need := wants(drawSize(t, "need"))
		went := map[size.Resource]recommender.Direction{}
		calm := 0

		for range 3_000 {
			in.Now = in.Now.Add(2 * time.Hour)
			in.Usage.NewestSample = in.Now
			got := recommender.Decide(need, in)

			if got.Recommended == in.Allocation {
				calm++
			} else {
				calm = 0
			}

			if calm == 3 {
				return
			}

			for _, resource := range size.Both() {
				change := recommender.Compare(in.Allocation.Resources().Get(resource), got.Recommended.Resources().Get(resource))
				if change == recommender.DirectionNone {
					continue
				}

				if !in.Policy.Coupled() && went[resource] != 0 {
					require.Equal(t, went[resource], change, "%s turns back", resource)
				}

				went[resource] = change
			}

			in.Allocation, in.State = got.Recommended, got.State
		}

		t.Fatalf("still moving: %s", in.Allocation)
	})
}

// Evaluating again a second later, with what the first evaluation has left behind, gives the same answer.
func TestASecondEvaluationChangesNothing(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		in := drawInput(t)
		in.Periodic = rapid.Bool().Draw(t, "periodic")
		need := wants(drawSize(t, "need"))

		// The second may see the end of a cool-down; then it is not the same moment.
		for _, at := range []time.Time{in.State.Scaling.UpTime, in.State.Scaling.DownTime} {
			age := in.Now.Sub(at)
			for _, span := range []time.Duration{in.Policy.CoolDown.Up, in.Policy.CoolDown.Down} {
				if age < span && age+time.Second >= span {
					t.Skip("the cool-down ends in between")
				}
			}
		}

		first := recommender.Decide(need, in)
		in.Now, in.State = in.Now.Add(time.Second), first.State
		second := recommender.Decide(need, in)

		require.Equal(t, first.Recommended, second.Recommended)
		require.Equal(t, first.Observed, second.Observed)
		require.Equal(t, first.State, second.State)
	})
}

// Bad data lowers nothing, whatever the recommender says and the policy allows.
func TestBadDataLowersNothing(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		in := drawInput(t)
		window := &in.Usage.Windows[0]

		switch rapid.IntRange(0, 4).Draw(t, "fault") {
		case 0:
			in.Usage.Windows = nil
		case 1:
			window.Coverage = rapid.SampledFrom([]float64{0, -1, 2}).Draw(t, "coverage")
		case 2:
			in.Usage.NewestSample = time.Time{}
		case 3:
			*window = usage.Window{Length: window.Length, Coverage: 1}
		case 4:
			window.CPUPeakMillis, window.ResidentMemoryPeakBytes = -5, 1<<60
		}

		got := recommender.Decide(wants(drawSize(t, "need")), in)
		require.GreaterOrEqual(t, got.Recommended.CPUMillis, in.Allocation.CPUMillis)
		require.GreaterOrEqual(t, got.Recommended.MemoryBytes, in.Allocation.MemoryBytes)
		require.GreaterOrEqual(t, got.Recommended.Replicas, in.Allocation.Replicas)
	})
}
