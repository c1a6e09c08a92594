package observe

import (
	"slices"
	"time"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/recommender/size"
)

// maxStretches bounds what is kept of one service: enough for a change every hour of the journal's memory.
const maxStretches = 168

// series is the history of one service, the oldest first.
type series struct {
	stretches []stretch
	// latest is when the latest evaluation was, whether it is in the history or not.
	latest time.Time
}

// stretch is a time in which neither the size in force nor what was observed changed.
type stretch struct {
	from, until      time.Time
	expires          time.Time // of the latest evaluation in it; until then it goes on by itself
	inForce, advised size.Size
}

// note adds an evaluation that is newer than all before.
func (s *series) note(r *tidemarkv1.Recommendation) {
	at := r.GetEvaluateTime().AsTime()
	if !at.After(s.latest) {
		return
	}

	s.latest = at
	s.endAt(at)
	s.stretches = slices.DeleteFunc(s.stretches, func(old stretch) bool { return at.Sub(old.until) > Memory })

	if !observed(r) {
		return
	}

	next := stretch{
		from: at, until: at, expires: r.GetExpireTime().AsTime(),
		inForce: sizeOf(r.GetAllocation()), advised: sizeOf(r.GetObserved()),
	}

	if n := len(s.stretches); n > 0 && s.stretches[n-1].continuedBy(next) {
		s.stretches[n-1].expires = next.expires

		return
	}

	if len(s.stretches) >= maxStretches {
		s.stretches = slices.Delete(s.stretches, 0, len(s.stretches)-maxStretches+1)
	}

	s.stretches = append(s.stretches, next)
}

// endAt ends the latest stretch, which is over when it has expired before. One that is over already stays as it is.
func (s *series) endAt(at time.Time) {
	n := len(s.stretches)
	if n == 0 {
		return
	}

	last := &s.stretches[n-1]
	last.until = last.endBy(at)
	last.expires = last.until
}

// endBy is when a stretch ends that nothing has followed until then.
func (s *stretch) endBy(at time.Time) time.Time {
	if at.Before(s.expires) {
		return at
	}

	return s.expires
}

// continuedBy reports that the next stretch says the same and begins where this one ends.
func (s *stretch) continuedBy(next stretch) bool {
	return s.until.Equal(next.from) && s.inForce == next.inForce && s.advised == next.advised
}

func (s *series) empty() bool { return len(s.stretches) == 0 }

// sizeOf reads a size; the zero size for none.
func sizeOf(s *tidemarkv1.Size) size.Size {
	return size.Size{CPUMillis: s.GetCpuMillis(), MemoryBytes: s.GetMemoryBytes(), Replicas: s.GetReplicas()}
}
