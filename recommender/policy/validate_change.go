package policy

import (
	"fmt"
	"slices"
	"time"

	"github.com/tidemark-project/tidemark/recommender/size"
)

const (
	// bucket is what the windows of usage are made of.
	bucket = 10 * time.Minute
	// maxFloorWindow is how far back usage is kept in every case.
	maxFloorWindow = 14 * 24 * time.Hour
	// maxMultiplier and maxShare are beyond anything sensible; what is above is a wrong unit.
	maxMultiplier, maxShare = 10, 100
	day                     = 24 * time.Hour
)

func (p *Policy) checkFloor(found *problems) {
	floor := p.Floor
	if floor.Window == 0 {
		return
	}

	if floor.Window < 0 || floor.Window > maxFloorWindow || floor.Window%bucket != 0 {
		found.addf("floor.window", "%s must be 0 (no floor) or a multiple of 10 minutes up to 14 days", floor.Window)
	}

	// Written so that NaN is wrong.
	if !(floor.CPUUtilisation > 0 && floor.CPUUtilisation <= 1) {
		found.addf("floor.cpu_utilisation", "%g must be above 0 and at most 1 (100%%)", floor.CPUUtilisation)
	}

	if !(floor.MemoryMultiplier >= 1 && floor.MemoryMultiplier <= maxMultiplier) {
		found.addf("floor.memory_multiplier", "%g must be between 1 and %d", floor.MemoryMultiplier, maxMultiplier)
	}
}

func (p *Policy) checkStepLimits(found *problems) {
	checkStepLimit(found, "max_step.up", p.StepUp, maxShare)
	checkStepLimit(found, "max_step.down", p.StepDown, 1)
}

func checkStepLimit(found *problems, field string, limit StepLimit, most float64) {
	if !(limit.Share >= 0 && limit.Share <= most) {
		found.addf(field+".percent", "%g must be between 0 (none) and %g (%g%%)", limit.Share, most, most*100)
	}

	if cpu := limit.Size.CPUMillis; cpu < 0 || cpu > size.MaxCPUMillis {
		found.addf(field+".cpu", "%s must be between 0 (none) and %s", size.FormatCPU(cpu), size.FormatCPU(size.MaxCPUMillis))
	}

	if memory := limit.Size.MemoryBytes; memory < 0 || memory > size.MaxMemoryBytes {
		found.addf(field+".memory", "%s must be between 0 (none) and %s",
			size.FormatMemory(memory), size.FormatMemory(size.MaxMemoryBytes))
	}

	checkReplicaCount(found, field+".replicas", "none", limit.Size.Replicas)
}

func (p *Policy) checkDisruption(found *problems) {
	rules := &p.Disruption

	if !slices.Contains(DisruptionClasses(), rules.Class.OrDefault()) {
		found.addf("disruption.class", "%q is not a class: use one of %q", rules.Class, DisruptionClasses())
	}

	checkReplicaCount(found, "disruption.min_replicas", "any number", rules.MinReplicas)

	if !(rules.MinUp >= 0 && rules.MinUp <= 1) {
		found.addf("disruption.min_change.up", "%g must be between 0 (any change) and 1 (100%%)", rules.MinUp)
	}

	if !(rules.MinDown >= 0 && rules.MinDown < 1) {
		found.addf("disruption.min_change.down", "%g must be 0 (any change) or more, and below 1 (100%%)", rules.MinDown)
	}

	for i, window := range rules.ScaleDown {
		checkWindow(found, fmt.Sprintf("disruption.scale_down_windows[%d]", i), window)
	}
}

func checkWindow(found *problems, field string, window TimeWindow) {
	if window.From < 0 || window.From >= day {
		found.addf(field+".from", "%s must be a time of the day from 00:00 to 23:59", window.From)
	}

	if window.To < 0 || window.To > day {
		found.addf(field+".to", "%s must be a time of the day from 00:00 to 24:00", window.To)
	}

	for i, weekday := range window.Days {
		if weekday < time.Sunday || weekday > time.Saturday {
			found.addf(field+".days", "%d is not a day: use 0 (Sunday) to 6 (Saturday)", weekday)
		} else if slices.Contains(window.Days[:i], weekday) {
			found.addf(field+".days", "%s is named twice: name each day once", weekday)
		}
	}
}

func (p *Policy) checkCoolDown(found *problems) {
	if p.CoolDown.Up < 0 {
		found.addf("cool_down.up", "%s must be 0 (none) or more", p.CoolDown.Up)
	}

	if p.CoolDown.Down < 0 {
		found.addf("cool_down.down", "%s must be 0 (none) or more", p.CoolDown.Down)
	}
}

// checkChangeIsPossible finds rules that forbid together what each of them allows.
func (p *Policy) checkChangeIsPossible(found *problems) {
	rules := &p.Disruption

	if p.MaxReplicas > 0 && rules.MinReplicas > p.MaxReplicas {
		found.addf("disruption.min_replicas", "%d is above the most replicas there may be, %d: CPU and memory could never change",
			rules.MinReplicas, p.MaxReplicas)
	}
}
