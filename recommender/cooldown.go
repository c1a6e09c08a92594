package recommender

import (
	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/size"
)

// applyCoolDown keeps a size that changed recently. A rise waits only for the last rise: after a fall that went too far,
// growing back must not wait. A fall waits for any change.
func (o *outcome) applyCoolDown() {
	const stage = policy.StageCoolDown

	times, span, now := o.scaling, o.in.Policy.CoolDown, o.in.Now
	mayNotRise := Within(times.UpTime, now, span.Up)
	mayNotFall := Within(times.UpTime, now, span.Down) || Within(times.DownTime, now, span.Down)

	risen, fallen := o.restrict(stage, restriction{mayNotRise, mayNotRise}, restriction{mayNotFall, mayNotFall})

	if mayNotRise && o.changed(size.Replicas) == DirectionUp {
		o.moveReplicas(stage, o.replicas.current)

		risen = true
	}

	if mayNotFall && o.keepReplicas(stage) {
		fallen = true
	}

	if risen || fallen {
		o.because(ReasonCoolDown)
	}
}
