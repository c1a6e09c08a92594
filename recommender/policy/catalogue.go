package policy

import "github.com/tidemark-project/tidemark/recommender/size"

// nearestEntry returns the catalogue entry for a value, and the value itself without a catalogue.
func (p *Policy) nearestEntry(value size.Resources) size.Resources {
	if entry, ok := p.pick(value, size.Resources{}, unlimited()); ok {
		return entry
	}

	return value
}

// Eligible reports that there is no catalogue, or that it has an entry within the bounds.
func (p *Policy) Eligible() bool {
	_, ok := p.pick(size.Resources{}, p.Min, p.ceiling())

	return ok || len(p.Catalogue) == 0
}

// pick returns the smallest catalogue entry between low and high that covers the need; false when no entry lies between
// them. A need beyond all of them gets the smallest entry with the most that there is of the resource in short supply.
func (p *Policy) pick(need, low, high size.Resources) (size.Resources, bool) {
	var most size.Resources

	for _, entry := range p.Catalogue {
		if entry.Covers(low) && high.Covers(entry) {
			most = most.Max(entry)
		}
	}

	need = need.Min(most)

	// Where no entry has enough of both, memory goes first: too little CPU is slow, too little memory is a crash.
	var second size.Resources

	for _, entry := range p.Catalogue {
		if !entry.Covers(low) || !high.Covers(entry) {
			continue
		}

		if entry.Covers(need) {
			return entry, true
		}

		if entry.MemoryBytes >= need.MemoryBytes && entry.CPUMillis > second.CPUMillis {
			second = entry
		}
	}

	return second, !most.IsZero()
}
