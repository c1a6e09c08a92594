package policy

import (
	"fmt"

	"github.com/tidemark-project/tidemark/recommender/size"
)

// minMemoryPerCoreBytes keeps the ratio in a range where a millicore is worth many bytes; anything lower is a wrong unit.
const minMemoryPerCoreBytes = 1 << 20

func (p *Policy) checkBounds(found *problems) {
	fields := map[size.Resource]string{size.CPU: "cpu", size.Memory: "memory"}

	for _, resource := range size.Both() {
		low, high, most := p.Min.Get(resource), p.Max.Get(resource), unlimited().Get(resource)
		show := resource.Format

		if low < 0 || low > most {
			found.addf("min."+fields[resource], "%s must be between 0 (no bound) and %s", show(low), show(most))
		}

		if high < 0 || high > most {
			found.addf("max."+fields[resource], "%s must be between 0 (no bound) and %s", show(high), show(most))
		}

		if high > 0 && low > high {
			found.addf("min."+fields[resource], "%s is above the maximum %s", show(low), show(high))
		}
	}
}

func (p *Policy) checkReplicas(found *problems) {
	low, high := p.MinReplicas, p.MaxReplicas

	checkReplicaCount(found, "min.replicas", "no bound", low)
	checkReplicaCount(found, "max.replicas", "no bound", high)

	if high > 0 && low > high {
		found.addf("min.replicas", "%d is above the maximum %d", low, high)
	}
}

// checkReplicaCount checks a number of replicas; none says what 0 means.
func checkReplicaCount(found *problems, field, none string, count int32) {
	if count < 0 || count > size.MaxReplicas {
		found.addf(field, "%d must be between 0 (%s) and %d", count, none, size.MaxReplicas)
	}
}

func (p *Policy) checkRatio(found *problems) {
	ratio := p.MemoryPerCoreBytes

	if ratio != 0 && (ratio < minMemoryPerCoreBytes || ratio > size.MaxMemoryBytes) {
		found.addf("memory_per_core", "%s must be 0 (no ratio) or between %s and %s", size.FormatMemory(ratio),
			size.FormatMemory(minMemoryPerCoreBytes), size.FormatMemory(size.MaxMemoryBytes))
	}
}

func (p *Policy) checkCatalogue(found *problems) {
	for i, entry := range p.Catalogue {
		field := fmt.Sprintf("catalogue[%d]", i)

		if !entry.Known() {
			found.addf(field, "%s must have CPU and memory above 0 and within reason", entry)

			continue
		}

		switch {
		case i > 0 && p.Catalogue[i-1] == entry:
			found.addf(field, "%s is there already: list each size once", entry)
		case i > 0 && !before(p.Catalogue[i-1], entry):
			found.addf(field, "%s must come after %s: sort by CPU, then memory", entry, p.Catalogue[i-1])
		}

		if p.Couple(entry) != entry {
			found.addf(field, "%s is off the ratio of %s per core: drop the entry or the ratio",
				entry, size.FormatMemory(p.MemoryPerCoreBytes))
		}
	}
}

func before(a, b size.Resources) bool {
	return a.CPUMillis < b.CPUMillis || a.CPUMillis == b.CPUMillis && a.MemoryBytes < b.MemoryBytes
}

func (p *Policy) checkLegalSizeExists(found *problems) {
	if !p.Eligible() {
		found.addf("catalogue", "no entry lies between the minimum %s and the maximum %s", p.Min, p.ceiling())

		return
	}

	if len(p.Catalogue) > 0 {
		return
	}

	if low, _ := p.limits(); !p.ceiling().Covers(low) {
		found.addf("max", "%s is below the smallest legal size %s", p.ceiling(), low)
	}
}
