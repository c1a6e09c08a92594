package external

import (
	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/size"
)

// advice returns what to follow: the answer for this evaluation, which is then remembered, or the last good one for as
// long as it may stand in. It returns false when there is neither.
func (r *Recommender) advice(in *recommender.Input, p *recommender.Proposal) (recommender.Advice, bool) {
	if recommender.Within(in.Advice.Time, in.Now, evaluationTime) {
		answer, plausible := sane(in.Advice)
		if !plausible {
			p.Because(recommender.ReasonImplausibleData)
		}

		if answer.Size != (size.Size{}) {
			p.Because(recommender.ReasonExternal)
			p.State.Advice = answer

			return answer, true
		}
	}

	last, _ := sane(in.State.Advice)
	if last.Size == (size.Size{}) || !recommender.Within(last.Time, in.Now, r.params.MaxAge) {
		return recommender.Advice{}, false
	}

	keep(p, recommender.ReasonExternalStale)

	return last, true
}

// sane returns advice with every amount that cannot be true taken as unknown, and whether all of them could be.
func sane(advice recommender.Advice) (recommender.Advice, bool) {
	s, plausible := &advice.Size, true

	if s.CPUMillis < 0 || s.CPUMillis > size.MaxCPUMillis {
		s.CPUMillis, plausible = 0, false
	}

	if s.MemoryBytes < 0 || s.MemoryBytes > size.MaxMemoryBytes {
		s.MemoryBytes, plausible = 0, false
	}

	if s.Replicas < 0 || s.Replicas > size.MaxReplicas {
		s.Replicas, plausible = 0, false
	}

	return advice, plausible
}
