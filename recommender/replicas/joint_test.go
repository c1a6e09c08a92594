package replicas_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/replicas"
	"github.com/tidemark-project/tidemark/recommender/size"
	"github.com/tidemark-project/tidemark/recommender/usage"
)

// catalogue has 1 core for 4 GiB, and one size with much memory.
func catalogue() policy.Policy {
	return policy.Policy{Name: "p", Catalogue: []size.Resources{
		of(2_000, 8, 0).Resources(), of(4_000, 16, 0).Resources(), of(4_000, 32, 0).Resources(), of(8_000, 32, 0).Resources(),
	}}
}

// exact aims at 100 %, so that needs can be worked out by hand.
func exact(p *replicas.Params) { p.Joint, p.CPUTarget, p.MemoryTarget = true, 1, 1 }

func decide(t *testing.T, in recommender.Input, change ...func(*replicas.Params)) recommender.Decision {
	t.Helper()

	return recommender.Decide(rule(t, append([]func(*replicas.Params){exact}, change...)...), in)
}

// A replica of 8 cores and 32 GiB costs 8 + 4 = 12, one of 4 and 16 costs 6, of 4 and 32 costs 8, of 2 and 8 costs 3.
func TestTheCheapestPair(t *testing.T) {
	t.Parallel()

	// 13 cores and 20 GiB: 7 * 3 = 21, 4 * 6 = 24, 4 * 8 = 32, 2 * 12 = 24. Growth is worth it at any cost.
	in := input(of(2_000, 8, 2), 13_000, 14*gib)
	in.Policy = catalogue()
	got := decide(t, in)
	require.Equal(t, of(2_000, 8, 7), got.Recommended)
	require.Equal(t, []recommender.Reason{recommender.ReasonCheapestPair}, got.Reasons)
	require.InDelta(t, 21, fact(t, got, "best_cost"), 1e-9)
	require.InDelta(t, 6, fact(t, got, "present_cost"), 1e-9)

	// 4 cores and 60 GiB. 8 * 3 = 24, 4 * 6 = 24, 2 * 8 = 16, 2 * 12 = 24.
	in = input(of(4_000, 16, 2), 4_000, 60*gib)
	in.Policy = catalogue()
	in.Usage.Windows[0].ResidentMemoryPeakBytes, in.Usage.Windows[1].ResidentMemoryPeakBytes = 16*gib, 16*gib
	require.Equal(t, of(4_000, 32, 2), decide(t, in).Recommended)

	// Memory that costs nothing: then the fewest cores, 4 * 2.
	require.Equal(t, of(4_000, 32, 2), decide(t, in, func(p *replicas.Params) { p.MemoryCost = 0 }).Recommended)
}

// Among equally cheap pairs, fewer changes win, then fewer replicas.
func TestEquallyCheapPairs(t *testing.T) {
	t.Parallel()

	// 16 cores and 16 GiB at 1 per core: 8 * 3 = 24, 4 * 6 = 24, 2 * 12 = 24. Each is short now.
	for _, c := range []struct {
		from, want size.Size
	}{
		{of(2_000, 8, 7), of(2_000, 8, 8)},
		{of(4_000, 16, 3), of(4_000, 16, 4)},
		{of(8_000, 32, 1), of(8_000, 32, 2)},
		{of(4_000, 16, 4), of(4_000, 16, 4)},
		{of(1_000, 4, 3), of(8_000, 32, 3)}, // To 2 of them, but the rise comes first.
	} {
		in := input(c.from, 16_000, 4*gib)
		in.Policy = catalogue()
		require.Equal(t, c.want, decide(t, in).Recommended, "%s", c.from)
	}
}

// The rows of Vespa's worth acting: growth above 3 %, savings of 10 %, both over the mean of before and after.
func TestWorthActing(t *testing.T) {
	t.Parallel()

	for _, c := range []struct {
		cores int64
		want  int32
	}{{1_029, 1_000}, {1_032, 1_032}, {910, 1_000}, {890, 890}, {1_000, 1_000}} {
		in := input(of(1_000, 1, 1_000), c.cores*1_000, gib)
		got := decide(t, in, func(p *replicas.Params) { p.MemoryTarget = 0 })
		require.Equal(t, c.want, got.Recommended.Replicas, "%d", c.cores)

		if c.want == 1_000 && c.cores != 1_000 {
			require.Contains(t, got.Reasons, recommender.ReasonNotWorthChanging)
		}
	}
}

// A trade of size for number raises first and lowers when the rise was made, so that no stage between is too little.
func TestARiseComesBeforeAFall(t *testing.T) {
	t.Parallel()

	// 5 cores: 3 of 2 cores cost 9, 1 of 8 costs 12.
	in := input(of(8_000, 32, 1), 5_000, 7*gib)
	in.Policy = catalogue()

	first := decide(t, in)
	require.Equal(t, of(8_000, 32, 3), first.Recommended)

	second := decide(t, after(in, first))
	require.Equal(t, of(2_000, 8, 3), second.Recommended)
	require.Equal(t, recommender.DirectionNone, decide(t, after(in, second)).Direction)

	// The other way round: many small ones that memory keeps from being cheap.
	in = input(of(2_000, 8, 8), 4_000, 60*gib)
	in.Policy = catalogue()

	first = decide(t, in)
	require.Equal(t, of(4_000, 32, 8), first.Recommended)
	require.Equal(t, of(4_000, 32, 2), decide(t, after(in, first)).Recommended)
}

func TestWhatIsOnlyHalfPermittedIsNoCandidate(t *testing.T) {
	t.Parallel()

	in := input(of(8_000, 32, 1), 5_000, 7*gib)
	in.Policy = catalogue()

	for name, change := range map[string]func(*policy.Policy){
		"CPU must not fall":          func(p *policy.Policy) { p.Permissions.CPU.Down = policy.ModeOff },
		"memory only looked at":      func(p *policy.Policy) { p.Permissions.Memory.Down = policy.ModeObserveOnly },
		"replicas must not rise":     func(p *policy.Policy) { p.Permissions.Replicas.Up = policy.ModeOff },
		"nothing may fall":           func(p *policy.Policy) { p.Mode = policy.ModeUpOnly },
		"all is off":                 func(p *policy.Policy) { p.Mode = policy.ModeOff },
		"the floor holds the memory": func(p *policy.Policy) { p.Floor = policy.Floor{Window: long, CPUUtilisation: 1, MemoryMultiplier: 2} },
	} {
		changed := in
		changed.Policy = catalogue()
		change(&changed.Policy)
		require.Equal(t, of(8_000, 32, 1), decide(t, changed).Recommended, name)
	}

	in.Policy.Mode = policy.ModeObserveOnly
	require.Equal(t, of(8_000, 32, 3), decide(t, in).Recommended, "all of it is only looked at")
}

// More replicas do not make the largest one's memory smaller for certain.
func TestMemoryOfTheLargestReplica(t *testing.T) {
	t.Parallel()

	// 17 cores: 9 of 2 cost 27, 5 of 4 cost 30, 3 of 8 cost 36.
	in := input(of(8_000, 32, 3), 17_000, 24*gib)
	in.Policy = catalogue()
	require.EqualValues(t, 9, decide(t, in).Recommended.Replicas, "8 GiB fit in 8")

	in = input(of(8_000, 32, 3), 17_000, 27*gib)
	in.Policy = catalogue()
	require.EqualValues(t, 5, decide(t, in).Recommended.Replicas, "9 GiB fit in 16")

	in = input(of(8_000, 32, 1), 5_000, 17*gib)
	in.Policy = catalogue()
	require.Equal(t, in.Allocation, decide(t, in).Recommended)

	// Fewer replicas take over what the others had: 2 of 8 cores would be the cheapest, but the largest replica has 20 GiB.
	in = input(of(4_000, 32, 4), 9_000, 30*gib)
	in.Policy = policy.Policy{Name: "p", Catalogue: []size.Resources{of(4_000, 32, 0).Resources()}}
	require.Equal(t, of(4_000, 32, 3), decide(t, in).Recommended)

	in.Usage.Windows[1].ResidentMemoryPeakBytes = 25 * gib
	require.Equal(t, in.Allocation, decide(t, in).Recommended, "25 GiB * 4 / 3 are more than 32 GiB")
}

func TestAResourceLeftOutIsNotLowered(t *testing.T) {
	t.Parallel()

	in := input(of(8_000, 32, 4), 4_000, gib)
	in.Policy = catalogue()
	require.Equal(t, of(4_000, 32, 1), decide(t, in, func(p *replicas.Params) { p.MemoryTarget = 0 }).Recommended)
	require.Equal(t, of(8_000, 32, 1), decide(t, in, func(p *replicas.Params) { p.CPUTarget = 0 }).Recommended)
}

func TestWithoutACatalogueOnlyTheNumberChanges(t *testing.T) {
	t.Parallel()

	got := recommender.Decide(rule(t, joint), input(of(4_000, 16, 20), 36_000, 16*gib))
	require.Equal(t, of(4_000, 16, 12), got.Recommended)
	require.Equal(t, of(4_000, 16, 12), recommender.Decide(rule(t, joint), input(of(4_000, 16, 2), 36_000, 16*gib)).Recommended)
}

func TestBoundsOfThePair(t *testing.T) {
	t.Parallel()

	in := input(of(2_000, 8, 2), 13_000, 14*gib)
	in.Policy = catalogue()
	in.Policy.MaxReplicas = 4
	in.Usage.Windows = []usage.Window{window(short, 12_000, 14*gib, 2), window(long, 12_000, 14*gib, 2)}
	require.Equal(t, of(4_000, 16, 3), decide(t, in).Recommended, "6 of 2 cores are too many")

	in.Policy.Min = of(8_000, 32, 0).Resources()
	require.Equal(t, of(8_000, 32, 2), decide(t, in).Recommended)

	in.Policy = catalogue()
	in.Policy.MinReplicas = 8
	require.Equal(t, of(2_000, 8, 8), decide(t, in).Recommended)

	// Nothing is enough: the largest there is, and the answer says so.
	in.Policy = catalogue()
	in.Policy.MaxReplicas = 1
	in.Allocation.Replicas = 1

	got := decide(t, in)
	require.Equal(t, of(8_000, 32, 1), got.Recommended)
	require.Equal(t, recommender.StatusLimited, got.Status)
	require.Equal(t, got.Recommended, decide(t, after(in, got)).Recommended)
}

// In the worst case one replica is down.
func TestPairWithASpare(t *testing.T) {
	t.Parallel()

	// 16 cores: 8 + 1 of 2 cost 27, 4 + 1 of 4 cost 30, 2 + 1 of 8 cost 36.
	in := input(of(4_000, 16, 2), 16_000, 14*gib)
	in.Policy = catalogue()

	spare := func(p *replicas.Params) { p.SpareReplicas = 1 }
	first := decide(t, in, spare)
	require.Equal(t, of(4_000, 16, 9), first.Recommended)
	require.Equal(t, of(2_000, 8, 9), decide(t, after(in, first), spare).Recommended)
}

// A spare replica that is missing is worth having although two small ones cost what a large one does.
func TestAMissingSpareIsWorthIt(t *testing.T) {
	t.Parallel()

	in := input(of(4_000, 16, 1), 1_000, gib)
	in.Policy = catalogue()

	got := decide(t, in, func(p *replicas.Params) { p.SpareReplicas = 1 })
	require.Equal(t, of(4_000, 16, 2), got.Recommended, "the size falls once there are two")
}

// While the data does not suffice, a service that has enough stays, and one that is short only grows.
func TestPairOnBadData(t *testing.T) {
	t.Parallel()

	stale := func(in recommender.Input) recommender.Input {
		in.Policy = catalogue()
		in.Usage.NewestSample = noon.Add(-time.Hour)

		return in
	}

	in := stale(input(of(8_000, 32, 4), 5_000, 7*gib))
	require.Equal(t, in.Allocation, decide(t, in).Recommended)

	in = stale(input(of(4_000, 16, 1), 9_000, 7*gib))
	require.Equal(t, of(4_000, 16, 3), decide(t, in).Recommended, "and not 5 of 2 cores, which cost less")

	in = stale(input(of(4_000, 16, 4), 4_000, 65*gib))
	in.Usage.Windows[0].ResidentMemoryPeakBytes, in.Usage.Windows[1].ResidentMemoryPeakBytes = 16*gib, 16*gib
	require.Equal(t, of(4_000, 16, 5), decide(t, in).Recommended, "and not 3 with 32 GiB, which cost less: none may go")

	in = stale(input(of(16_000, 64, 1), 17_000, 7*gib))
	require.Equal(t, of(16_000, 64, 2), decide(t, in).Recommended, "no size of the catalogue covers the present one")
}

func TestAnOldPeakKeepsThePair(t *testing.T) {
	t.Parallel()

	in := input(of(4_000, 16, 4), 4_000, 7*gib)
	in.Policy = catalogue()
	in.Usage.Windows = []usage.Window{in.Usage.Windows[0], window(long, 16_000, 7*gib, 4)}
	require.Equal(t, in.Allocation, decide(t, in).Recommended)

	in.Usage.Windows[1] = window(long, 30_000, 7*gib, 4)
	require.Equal(t, in.Allocation, decide(t, in).Recommended, "it has passed, so nothing is added for it")

	// It is more than there may be of any size; that matters only to a service that is short now.
	in = input(of(32_000, 128, 4), 10_000, 7*gib)
	in.Policy = catalogue()
	in.Policy.MaxReplicas = 4
	in.Usage.Windows[1] = window(long, 100_000, 7*gib, 4)

	got := decide(t, in)
	require.Equal(t, in.Allocation, got.Recommended)
	require.Equal(t, []recommender.Reason{recommender.ReasonWithinThresholds}, got.Reasons)
}
