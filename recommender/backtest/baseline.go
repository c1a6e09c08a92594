package backtest

import (
	"time"

	"github.com/tidemark-project/tidemark/recommender/backtest/history"
	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/size"
)

// SingleWindow is a contender that gives a service the highest use of the past length, times the margin, at every
// question: what most people write first. The policy says which sizes there are.
func SingleWindow(name string, length time.Duration, margin float64, policies func(*Series) policy.Policy) Contender {
	params := map[string]any{"window_seconds": length.Seconds(), "margin": margin}

	return Contender{Name: name, Params: params, New: func(service *Series) (Player, error) {
		return &singleWindow{policy: policies(service), minutes: int64(length / time.Minute), margin: margin}, nil
	}}
}

type singleWindow struct {
	policy      policy.Policy
	minutes     int64
	margin      float64
	cpu, memory history.Highest
}

func (w *singleWindow) Observe(s history.Sample) {
	minute := s.Time / 60

	if s.CPUKnown {
		w.cpu.Push(minute, s.CPUMillis)
	}

	if s.MemoryKnown {
		w.memory.Push(minute, s.MemoryBytes)
	}
}

func (w *singleWindow) Kill(int64, int64) {}

// Decide keeps a resource that was not seen in the window.
func (w *singleWindow) Decide(m Moment) Answer {
	first := m.Now.Unix()/60 - w.minutes + 1
	w.cpu.Expire(first)
	w.memory.Expire(first)

	need := m.Allocation.Resources()

	if peak, ok := w.cpu.Since(first); ok {
		need.CPUMillis = ceil(peak * w.margin)
	}

	if peak, ok := w.memory.Since(first); ok {
		need.MemoryBytes = ceil(peak * w.margin)
	}

	return Answer{Size: m.Allocation.With(w.policy.Fitted(need))}
}

// Static is a contender that gives a service a multiple of its mean use of the whole recording, once and for all. No
// operator knows that mean beforehand.
func Static(name string, multiple float64, policies func(*Series) policy.Policy) Contender {
	return Contender{
		Name: name, Params: map[string]any{"multiple_of_mean": multiple},
		New: func(service *Series) (Player, error) {
			p := policies(service)
			cpu, memory := service.mean()
			need := size.Resources{CPUMillis: ceil(cpu * multiple), MemoryBytes: ceil(memory * multiple)}

			return static(p.Fitted(need)), nil
		},
	}
}

type static size.Resources

func (static) Observe(history.Sample) {}

func (static) Kill(int64, int64) {}

func (s static) Decide(m Moment) Answer {
	return Answer{Size: m.Allocation.With(size.Resources(s))}
}
