package replicas

import (
	"time"

	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/usage"
)

// checkEvidence reads the windows and decides what may be lowered. Demand that was seen is a lower bound of the need,
// however little was seen; that there was no more is only known of a service that was watched.
func (e *evaluation) checkEvidence() {
	e.up = e.window(e.params.UpWindow, "up_coverage")
	e.down = e.window(e.params.DownWindow, "down_coverage")

	if e.in.Usage.Stale(e.in.Now, e.params.MaxSampleAge) {
		e.keep(recommender.ReasonStaleData)
	}
}

func (e *evaluation) window(length time.Duration, name string) usage.Window {
	w, _ := e.in.Usage.Window(length)

	w, plausible := w.Plausible()
	if !plausible {
		e.keep(recommender.ReasonImplausibleData)
	}

	switch {
	case w.Coverage <= 0:
		e.keep(recommender.ReasonNoData)
	case w.Coverage < e.params.MinCoverage:
		e.keep(recommender.ReasonLowCoverage)
	}

	e.fact(name, w.Coverage)

	return w
}

// keep forbids to lower anything, for a reason.
func (e *evaluation) keep(reason recommender.Reason) {
	p := e.proposal
	p.KeepCPU, p.KeepMemory, p.KeepReplicas = true, true, true
	p.Because(reason)
}
