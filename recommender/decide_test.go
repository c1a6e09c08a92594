package recommender_test

import (
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/size"
	"github.com/tidemark-project/tidemark/recommender/usage"
)

const gib = int64(1) << 30

var noon = time.Date(2026, time.March, 2, 12, 0, 0, 0, time.UTC)

// proposer proposes what it is told to, from a window of one hour.
type proposer struct {
	proposal recommender.Proposal
}

func (p proposer) Name() string { return "proposer" }

func (p proposer) Needs() usage.Request { return usage.Request{Windows: []time.Duration{time.Hour}} }

func (p proposer) Recommend(recommender.Input) recommender.Proposal { return p.proposal }

// needs proposes a need in millicores and GiB.
func needs(cpuMillis, gibibytes int64) proposer {
	return proposer{proposal: recommender.Proposal{Need: of(cpuMillis, gibibytes).Resources()}}
}

func of(cpuMillis, gibibytes int64) size.Size {
	return size.Size{CPUMillis: cpuMillis, MemoryBytes: gibibytes * gib, Replicas: 2}
}

// input allocates 8 cores and 32 GiB, with data that allows everything.
func input(p policy.Policy) recommender.Input {
	return recommender.Input{
		Now: noon, Policy: p, Allocation: of(8_000, 32),
		Usage: usage.Snapshot{
			NewestSample: noon,
			Windows: []usage.Window{
				{Length: time.Hour, Coverage: 1, CPUPeakMillis: 1, ResidentMemoryPeakBytes: 1},
			},
		},
	}
}

func TestDecide(t *testing.T) {
	t.Parallel()

	coupled := policy.Policy{MemoryPerCoreBytes: 4 * gib}
	keepMemory := needs(4_000, 8)
	keepMemory.proposal.KeepMemory = true
	insufficient := needs(0, 0)
	insufficient.proposal.Insufficient = true
	with := func(p policy.Policy, mode policy.Mode) policy.Policy {
		p.Mode = mode

		return p
	}

	for name, c := range map[string]struct {
		recommender proposer
		policy      policy.Policy
		want        size.Size
		direction   recommender.Direction
		status      recommender.Status
		reasons     []recommender.Reason
	}{
		"up":             {needs(9_000, 40), policy.Policy{}, of(9_000, 40), recommender.DirectionUp, recommender.StatusOK, nil},
		"down":           {needs(4_000, 8), policy.Policy{}, of(4_000, 8), recommender.DirectionDown, recommender.StatusOK, nil},
		"one each way":   {needs(9_000, 8), policy.Policy{}, of(9_000, 8), recommender.DirectionUp, recommender.StatusOK, nil},
		"content":        {needs(8_000, 32), policy.Policy{}, of(8_000, 32), recommender.DirectionNone, recommender.StatusOK, nil},
		"hold":           {needs(0, 0), policy.Policy{}, of(8_000, 32), recommender.DirectionNone, recommender.StatusHold, nil},
		"insufficient":   {insufficient, policy.Policy{}, of(8_000, 32), recommender.DirectionNone, recommender.StatusInsufficientData, nil},
		"hold CPU":       {needs(0, 8), policy.Policy{}, of(8_000, 8), recommender.DirectionDown, recommender.StatusOK, nil},
		"negative, huge": {needs(-1, 1<<40), policy.Policy{}, of(8_000, 32), recommender.DirectionNone, recommender.StatusHold, nil},
		"at the maximum": {
			needs(20_000, 40),
			policy.Policy{Max: of(8_000, 32).Resources()},
			of(8_000, 32), recommender.DirectionNone, recommender.StatusLimited,
			[]recommender.Reason{recommender.ReasonLimitedByMax},
		},
		"at the minimum": {
			needs(1, 1),
			policy.Policy{Min: of(8_000, 32).Resources()},
			of(8_000, 32), recommender.DirectionNone, recommender.StatusOK,
			[]recommender.Reason{recommender.ReasonRaisedToMin},
		},
		"rounded": {
			needs(8_500, 33),
			policy.Policy{StepCPUMillis: 1000},
			of(9_000, 33), recommender.DirectionUp, recommender.StatusOK,
			[]recommender.Reason{recommender.ReasonRounded},
		},
		"hold does not round": {
			needs(0, 0),
			policy.Policy{StepCPUMillis: 3000},
			of(8_000, 32), recommender.DirectionNone, recommender.StatusHold, nil,
		},
		"hold does not couple": {
			needs(0, 0),
			policy.Policy{MemoryPerCoreBytes: gib},
			of(8_000, 32), recommender.DirectionNone, recommender.StatusHold, nil,
		},
		"hold rises to the minimum": {
			needs(0, 0),
			policy.Policy{Min: of(10_000, 1).Resources()},
			of(10_000, 32), recommender.DirectionUp, recommender.StatusOK,
			[]recommender.Reason{recommender.ReasonRaisedToMin},
		},
		"hold rises to the minimum in lockstep": {
			needs(0, 0),
			policy.Policy{MemoryPerCoreBytes: 4 * gib, Min: of(10_000, 1).Resources()},
			of(10_000, 40), recommender.DirectionUp, recommender.StatusOK,
			[]recommender.Reason{recommender.ReasonRaisedToMin},
		},
		"hold does not fall to the maximum": {
			needs(0, 0),
			policy.Policy{Max: of(4_000, 16).Resources()},
			of(8_000, 32), recommender.DirectionNone, recommender.StatusHold, nil,
		},
		"hold between the bounds, across": {
			needs(0, 0),
			policy.Policy{MemoryPerCoreBytes: 4 * gib, Min: of(10_000, 1).Resources(), Max: of(12_000, 16).Resources()},
			of(10_000, 32), recommender.DirectionUp, recommender.StatusOK,
			[]recommender.Reason{recommender.ReasonRaisedToMin},
		},
		"memory is kept": {
			keepMemory,
			policy.Policy{},
			of(4_000, 32), recommender.DirectionDown, recommender.StatusOK,
			[]recommender.Reason{recommender.ReasonScaleDownBlocked},
		},
		"memory is kept, and CPU with it": {
			keepMemory, coupled, of(8_000, 32), recommender.DirectionNone, recommender.StatusHold,
			[]recommender.Reason{recommender.ReasonScaleDownBlocked, recommender.ReasonRatio},
		},
		"kept above the maximum": {
			keepMemory,
			policy.Policy{MemoryPerCoreBytes: 4 * gib, Max: of(6_000, 24).Resources()},
			of(8_000, 32), recommender.DirectionNone, recommender.StatusHold, nil,
		},
		"no entry within the bounds": {
			needs(9_000, 36),
			policy.Policy{Catalogue: []size.Resources{of(2_000, 8).Resources()}, Min: of(4_000, 16).Resources()},
			of(9_000, 36), recommender.DirectionUp, recommender.StatusOK,
			[]recommender.Reason{recommender.ReasonNoCatalogueEntry},
		},
		"beyond the catalogue": {
			needs(9_000, 36),
			policy.Policy{Catalogue: []size.Resources{of(8_000, 32).Resources()}},
			of(8_000, 32), recommender.DirectionNone, recommender.StatusLimited,
			[]recommender.Reason{recommender.ReasonLimitedByCatalogue},
		},
		"observe-only": {
			needs(4_000, 8),
			policy.Policy{Mode: policy.ModeObserveOnly},
			of(4_000, 8), recommender.DirectionDown, recommender.StatusOK,
			[]recommender.Reason{recommender.ReasonModeObserveOnly},
		},
		"unknown mode only observes": {
			needs(4_000, 8),
			policy.Policy{Mode: "x"},
			of(4_000, 8), recommender.DirectionDown, recommender.StatusOK,
			[]recommender.Reason{recommender.ReasonModeObserveOnly},
		},
		"up-only, down": {
			needs(4_000, 8),
			policy.Policy{Mode: policy.ModeUpOnly},
			of(8_000, 32), recommender.DirectionNone, recommender.StatusHold,
			[]recommender.Reason{recommender.ReasonModeUpOnly, recommender.ReasonScaleDownBlocked},
		},
		"up-only, one each way": {
			needs(9_000, 8),
			policy.Policy{Mode: policy.ModeUpOnly},
			of(9_000, 32), recommender.DirectionUp, recommender.StatusOK,
			[]recommender.Reason{recommender.ReasonModeUpOnly},
		},
		"up-only, coupled": {
			needs(4_000, 8), with(coupled, policy.ModeUpOnly),
			of(8_000, 32), recommender.DirectionNone, recommender.StatusHold,
			[]recommender.Reason{recommender.ReasonModeUpOnly},
		},
		"off": {
			needs(16_000, 64),
			policy.Policy{Mode: policy.ModeOff},
			of(8_000, 32), recommender.DirectionNone, recommender.StatusHold,
			[]recommender.Reason{recommender.ReasonModeOff},
		},
		"off, below the minimum": {
			needs(16_000, 64),
			policy.Policy{Mode: policy.ModeOff, Min: of(9_000, 1).Resources()},
			of(8_000, 32), recommender.DirectionNone, recommender.StatusHold,
			[]recommender.Reason{recommender.ReasonModeOff},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			in := input(c.policy)
			got := recommender.Decide(c.recommender, in)

			require.Equal(t, c.want, got.Recommended, "want %s, got %s", c.want, got.Recommended)
			require.Equal(t, c.direction, got.Direction)
			require.Equal(t, c.status, got.Status)
			require.Subset(t, got.Reasons, c.reasons)
			require.Equal(t, in.Allocation, got.Allocation)

			if wanted := c.policy.Mode.OrDefault(); slices.Contains(policy.Modes(), wanted) {
				require.Equal(t, wanted, got.Mode)
			} else {
				require.Equal(t, policy.ModeObserveOnly, got.Mode)
			}

			require.Equal(t, "proposer", got.Explanation.Recommender)
			requireAccount(t, got)
		})
	}
}

// requireAccount checks that the adjustments lead from the need to the recommended size without a gap.
func requireAccount(t *testing.T, d recommender.Decision) {
	t.Helper()

	for _, resource := range size.Both() {
		amount := d.Uncapped.Resources().Get(resource)

		for _, a := range d.Explanation.Adjustments {
			if a.Resource == resource {
				require.Equal(t, amount, a.Before)
				amount = a.After
			}
		}

		require.Equal(t, d.Recommended.Resources().Get(resource), amount)
	}
}

func TestUnknownAllocationIsInsufficient(t *testing.T) {
	t.Parallel()

	for _, allocation := range []size.Size{{}, of(0, 1), of(1, 0), of(-1, 1), of(1, -1), of(1, 1<<40), of(size.MaxCPUMillis+1, 1)} {
		in := input(policy.Default())
		in.Allocation = allocation
		in.State = recommender.State{Trend: recommender.Trend{Time: noon}}

		got := recommender.Decide(needs(9_000, 9), in)
		require.Equal(t, allocation, got.Recommended)
		require.Equal(t, recommender.DirectionNone, got.Direction)
		require.Equal(t, recommender.StatusInsufficientData, got.Status)
		require.Equal(t, []recommender.Reason{recommender.ReasonNoAllocation}, got.Reasons)
		require.Equal(t, in.State, got.State)
	}
}

func TestNoRecommenderLowersWithoutData(t *testing.T) {
	t.Parallel()

	for name, change := range map[string]func(*usage.Snapshot){
		"window missing":     func(s *usage.Snapshot) { s.Windows = nil },
		"window empty":       func(s *usage.Snapshot) { s.Windows[0] = usage.Window{Length: time.Hour, Coverage: 1} },
		"window not covered": func(s *usage.Snapshot) { s.Windows[0].Coverage = 0 },
		"no newest sample":   func(s *usage.Snapshot) { s.NewestSample = time.Time{} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			in := input(policy.Policy{})
			change(&in.Usage)

			got := recommender.Decide(needs(9_000, 8), in)
			require.Equal(t, of(9_000, 32), got.Recommended, "raising is free")
			require.Contains(t, got.Reasons, recommender.ReasonScaleDownBlocked)
			require.False(t, got.Explanation.Data.MemoryMayFall)
			require.Equal(t, in.Allocation, recommender.Decide(needs(4_000, 8), in).Recommended)
		})
	}
}

func TestReasonsAreUniqueUpperSnake(t *testing.T) {
	t.Parallel()

	seen := map[recommender.Reason]bool{}
	pattern := regexp.MustCompile(`^[A-Z]+(_[A-Z]+)*$`)

	for _, reason := range recommender.Reasons() {
		require.False(t, seen[reason], reason)
		require.Regexp(t, pattern, reason.String())
		seen[reason] = true
	}
}

func TestBecauseDoesNotRepeat(t *testing.T) {
	t.Parallel()

	var p recommender.Proposal

	p.Because(recommender.ReasonNoData, recommender.ReasonNoData)
	p.Because(recommender.ReasonRatio, recommender.ReasonNoData)
	require.Equal(t, []recommender.Reason{recommender.ReasonNoData, recommender.ReasonRatio}, p.Reasons)
}
