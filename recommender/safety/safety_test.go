// Package safety_test holds every recommender to what must hold for all of them, on generated histories: the past of a
// service is made up, sample by sample, and read as it would be read of a real one.
package safety_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/backtest/history"
	"github.com/tidemark-project/tidemark/recommender/percentile"
	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/profile"
	"github.com/tidemark-project/tidemark/recommender/replicas"
	"github.com/tidemark-project/tidemark/recommender/size"
	"github.com/tidemark-project/tidemark/recommender/threshold"
	"github.com/tidemark-project/tidemark/recommender/usage"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	gib  = int64(1) << 30
	step = 10 * time.Minute
)

var (
	begin     = time.Date(2026, time.March, 1, 0, 0, 0, 0, time.UTC)
	allocated = size.Size{CPUMillis: 8_000, MemoryBytes: 32 * gib, Replicas: 3}
)

// every returns all recommenders that decide by usage.
func every(t require.TestingT) map[string]recommender.Recommender {
	all := map[string]recommender.Recommender{}

	for _, name := range profile.Names() {
		r, err := profile.New(name)
		require.NoError(t, err)

		all[name] = r
	}

	p, err := percentile.New(percentile.Defaults())
	require.NoError(t, err)

	all[percentile.Name] = p

	rule := threshold.Defaults()
	rule.CPU = threshold.Rule{Max: 0.8, Min: 0.2, SustainedFor: 30 * time.Minute}
	rule.Axis = threshold.AxisSize

	s, err := threshold.New(rule)
	require.NoError(t, err)

	all[threshold.Name] = s

	n, err := replicas.New(replicas.Defaults())
	require.NoError(t, err)

	all[replicas.Name] = n

	return all
}

// past is a made-up service: the use of one replica, and the history of it that each recommender reads.
type past struct {
	now       time.Time
	histories map[string]*history.History
}

func newPast(t require.TestingT) *past {
	p := &past{now: begin, histories: map[string]*history.History{}}

	for name, r := range every(t) {
		p.histories[name] = history.New(r.Needs())
	}

	return p
}

// use lets five minutes pass in which a replica uses so much.
func (p *past) use(cpuMillis, memoryBytes float64) {
	p.now = p.now.Add(5 * time.Minute)

	for _, h := range p.histories {
		h.Observe(history.Sample{
			Time: p.now.Unix(), Minutes: 5, CPUMillis: cpuMillis, MemoryBytes: memoryBytes,
			CPUTotalMillis: cpuMillis * float64(allocated.Replicas), MemoryTotalBytes: memoryBytes * float64(allocated.Replicas),
			CPUKnown: true, MemoryKnown: true,
		})
	}
}

// input is a periodic evaluation of the service as one recommender reads it.
func (p *past) input(name string, allocation size.Size) recommender.Input {
	snapshot := p.histories[name].Snapshot(p.now)
	snapshot.Service, snapshot.ReadTime = "prod/a", p.now

	return recommender.Input{
		Service: "prod/a", Now: p.now, Policy: policy.Policy{Name: "p"}, Allocation: allocation, Usage: snapshot, Periodic: true,
	}
}

// live makes up two days of a service: a base, a daily wave, noise and bursts.
func live(t *rapid.T) *past {
	p := newPast(t)
	cpu := rapid.Float64Range(100, 6_000).Draw(t, "CPU")
	memory := rapid.Float64Range(0.5, 24).Draw(t, "memory") * float64(gib)
	wave := rapid.Float64Range(0, 0.8).Draw(t, "wave")
	burst := rapid.IntRange(1, 200).Draw(t, "burst every")
	noise := rapid.SliceOfN(rapid.Float64Range(0.9, 1.1), 7, 7).Draw(t, "noise")

	for i := range 2 * 24 * 12 {
		level := (1 + wave*math.Sin(2*math.Pi*float64(i)/288)) * noise[i%len(noise)]
		if i%burst == 0 {
			level *= 1.5
		}

		p.use(cpu*level, memory*(0.8+0.2*level))
	}

	return p
}

func drawName(t *rapid.T) string {
	names := append(profile.Names(), percentile.Name, threshold.Name, replicas.Name)

	return rapid.SampledFrom(names).Draw(t, "recommender")
}

// after is the input that follows on a decision, a while later.
func after(in recommender.Input, d recommender.Decision, later time.Duration) recommender.Input {
	in.State, in.Now = d.State, in.Now.Add(later)

	return in
}

func TestDeterministicAndIdempotent(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		p, name := live(t), drawName(t)
		r, in := every(t)[name], p.input(name, allocated)

		first := recommender.Decide(r, in)
		require.Equal(t, first, recommender.Decide(r, in))
		require.Equal(t, first.Recommended, recommender.Decide(r, after(in, first, time.Second)).Recommended, "a second later")
	})
}

func TestBoundsAlwaysHold(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		p, name := live(t), drawName(t)
		in := p.input(name, allocated)
		in.Policy = policy.Policy{
			Name: "p", Min: size.Resources{CPUMillis: 2_000, MemoryBytes: 8 * gib}, Max: size.Resources{CPUMillis: 9_000, MemoryBytes: 40 * gib},
			MinReplicas: 2, MaxReplicas: 4,
		}
		require.NoError(t, in.Policy.Validate())

		got := recommender.Decide(every(t)[name], in).Recommended
		require.True(t, got.Resources().Covers(in.Policy.Min), "%s", got)
		require.True(t, in.Policy.Max.Covers(got.Resources()), "%s", got)
		require.GreaterOrEqual(t, got.Replicas, in.Policy.MinReplicas)
		require.LessOrEqual(t, got.Replicas, in.Policy.MaxReplicas)
	})
}

// While the data is fresh, nothing falls below what is in use now.
func TestNeverBelowTheNewestUse(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		p, name := live(t), drawName(t)
		newest := 1 + rapid.Float64Range(0, 5_000).Draw(t, "newest")
		resident := rapid.Float64Range(0.5, 24).Draw(t, "resident") * float64(gib)

		for range 3 {
			p.use(newest, resident)
		}

		got := recommender.Decide(every(t)[name], p.input(name, allocated)).Recommended
		total := float64(got.Replicas) / float64(allocated.Replicas)

		if got.CPUMillis < allocated.CPUMillis || got.Replicas < allocated.Replicas {
			if name != percentile.Name { // it is blind to what is rare, by design
				require.GreaterOrEqual(t, float64(got.CPUMillis)*total+1, newest, "%s", got)
			}
		}

		if name == profile.Stable || name == profile.Balanced || name == profile.Lean {
			if got.MemoryBytes < allocated.MemoryBytes {
				require.GreaterOrEqual(t, float64(got.MemoryBytes)+1, resident)
			}
		}
	})
}

func TestBadDataNeverLowers(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		p, name := live(t), drawName(t)
		in := p.input(name, allocated)
		absurd := rapid.SampledFrom([]int64{math.MinInt64, -1, math.MaxInt64}).Draw(t, "absurd")

		switch rapid.IntRange(0, 5).Draw(t, "fault") {
		case 0: // nothing was read
			in.Usage = usage.Snapshot{ReadTime: in.Now}
		case 1: // late
			in.Usage.ReadTime = in.Now.Add(2 * time.Hour)
		case 2: // a clock that is wrong
			in.Usage.NewestSample = in.Now.Add(3 * time.Hour)
		case 3: // holes
			for i := range in.Usage.Windows {
				in.Usage.Windows[i].Coverage = rapid.SampledFrom([]float64{0, 0.3, math.NaN(), -1}).Draw(t, "coverage")
			}

			in.Usage.CPUHistogram, in.Usage.MemoryHistogram = nil, nil
		case 4: // negative or absurd
			for i := range in.Usage.Windows {
				w := &in.Usage.Windows[i]
				w.CPUPeakMillis, w.ResidentMemoryPeakBytes, w.CPUTotalPeakMillis, w.ResidentMemoryTotalPeakBytes = absurd, absurd, absurd, absurd
			}

			in.Usage.CPUHistogram, in.Usage.MemoryHistogram = nil, nil
		case 5: // a service that was only just seen
			in = newPast(t).input(name, allocated)
		}

		got := recommender.Decide(every(t)[name], in).Recommended
		require.GreaterOrEqual(t, got.CPUMillis, allocated.CPUMillis, name)
		require.GreaterOrEqual(t, got.MemoryBytes, allocated.MemoryBytes, name)
		require.GreaterOrEqual(t, got.Replicas, allocated.Replicas, name)
	})
}

// On a load that does not change, answers are applied until nothing changes any more, and then nothing does.
func TestNoOscillationOnAConstantLoad(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		p, name := newPast(t), drawName(t)
		cpu := rapid.Float64Range(10, 7_000).Draw(t, "CPU")
		memory := rapid.Float64Range(0.1, 30).Draw(t, "memory") * float64(gib)
		r, allocation, state := every(t)[name], allocated, recommender.State{}

		var changes []size.Size

		for i := range 12 * 24 * 4 {
			// The load stays the same, however it is spread.
			share := float64(allocated.Replicas) / float64(allocation.Replicas)
			p.now = p.now.Add(5 * time.Minute)
			p.histories[name].Observe(history.Sample{
				Time: p.now.Unix(), Minutes: 5, CPUMillis: cpu * share, MemoryBytes: memory * share,
				CPUTotalMillis: cpu * float64(allocated.Replicas), MemoryTotalBytes: memory * float64(allocated.Replicas),
				CPUKnown: true, MemoryKnown: true,
			})

			if i%2 == 1 {
				in := p.input(name, allocation)
				in.State = state
				got := recommender.Decide(r, in)

				if got.Recommended != allocation {
					changes = append(changes, got.Recommended)
				}

				allocation, state = got.Recommended, got.State
			}
		}

		require.Less(t, len(changes), 30, "%s: %v", name, changes)

		for i, s := range changes {
			for _, earlier := range changes[:i] {
				require.NotEqual(t, earlier, s, "%s comes back to a size: %v", name, changes)
			}
		}
	})
}

// A higher peak never asks for less.
func TestMonotoneInThePeak(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		name := drawName(t)
		level := rapid.Float64Range(100, 6_000).Draw(t, "level")
		factor := rapid.Float64Range(1, 3).Draw(t, "factor")
		r := every(t)[name]

		decide := func(factor float64) size.Size {
			p := newPast(t)
			for range 2 * 24 * 12 {
				p.use(level*factor, 4*float64(gib)*factor)
			}

			return recommender.Decide(r, p.input(name, allocated)).Uncapped
		}

		less, more := decide(1), decide(factor)

		// A size that is kept because a change is not worth it may be a little above what the larger load would get.
		const band = 1.15
		require.GreaterOrEqual(t, float64(more.CPUMillis)*band+20, float64(less.CPUMillis), "%s: %s %s", name, less, more)
		require.GreaterOrEqual(t, float64(more.MemoryBytes)*band, float64(less.MemoryBytes), "%s: %s %s", name, less, more)
		require.GreaterOrEqual(t, more.Replicas, less.Replicas, "%s: %s %s", name, less, more)
	})
}

// Out of memory at the policy's maximum says LIMITED and asks for the same again and again.
func TestOutOfMemoryAtTheCapDoesNotFeedItself(t *testing.T) {
	t.Parallel()

	for _, name := range append(profile.Names(), percentile.Name) {
		r, p := every(t)[name], newPast(t)
		for range 2 * 24 * 12 {
			p.use(3_000, 31*float64(gib))
		}

		var (
			state recommender.State
			first size.Size
		)

		for i := range 20 {
			p.use(3_000, 32*float64(gib))
			p.histories[name].Kill(p.now.Unix(), allocated.MemoryBytes)

			in := p.input(name, allocated)
			in.State = state
			in.Policy.Max = allocated.Resources()
			got := recommender.Decide(r, in)
			state = got.State

			require.Equal(t, recommender.StatusLimited, got.Status, name)
			require.Equal(t, allocated.MemoryBytes, got.Recommended.MemoryBytes, name)

			if i == 0 {
				first = got.Uncapped
			}

			require.LessOrEqual(t, float64(got.Uncapped.MemoryBytes), 1.1*float64(first.MemoryBytes), "%s asks for ever more", name)
		}
	}
}
