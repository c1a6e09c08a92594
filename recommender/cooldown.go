package recommender

import "github.com/tidemark-project/tidemark/recommender/policy"

// applyCoolDown keeps a size that changed recently. A rise waits only for the last rise: after a fall that went too far,
// growing back must not wait. A fall waits for any change.
func (o *outcome) applyCoolDown() {
	const stage = policy.StageCoolDown

	times, span, now := o.scaling, o.in.Policy.CoolDown, o.in.Now

	if within(times.UpTime, now, span.Up) {
		held := o.hold(stage, o.allocation)

		if o.replicas.target > o.replicas.current {
			o.moveReplicas(stage, o.replicas.current)

			held = true
		}

		if held {
			o.because(ReasonCoolDown)
		}
	}

	if within(times.UpTime, now, span.Down) || within(times.DownTime, now, span.Down) {
		kept := o.keep(stage, o.allocation)
		if o.keepReplicas(stage) || kept {
			o.because(ReasonCoolDown)
		}
	}
}
