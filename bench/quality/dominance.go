package main

// dominance says which of ours dominate a row: are at least as good in all numbers that count, and better in one.
//
//nolint:tagliatelle // as the results of all benchmarks are named
type dominance struct {
	// CPU and Memory compare the idle share and the time with too little of one resource.
	CPU    []string `json:"cpu"`
	Memory []string `json:"memory"`
	// CPUCalm and MemoryCalm are those of CPU and of Memory that also change sizes, of either resource, less often.
	CPUCalm    []string `json:"cpu_fewer_resizes"`
	MemoryCalm []string `json:"mem_fewer_resizes"`
	// All compares both of both resources, and how often sizes change.
	All []string `json:"all"`
}

// compare fills in by which of ours each of the others is dominated.
func compare(rows []*row) {
	for _, other := range rows {
		if other.Ours {
			continue
		}

		other.DominatedBy = &dominance{
			CPU: []string{}, Memory: []string{}, CPUCalm: []string{}, MemoryCalm: []string{}, All: []string{},
		}

		for _, our := range rows {
			if our.Ours {
				other.DominatedBy.add(our, other)
			}
		}
	}
}

func (d *dominance) add(our, other *row) {
	calm := our.Resizes < other.Resizes

	if dominates(our.cpu(), other.cpu()) {
		d.CPU = append(d.CPU, our.Name)

		if calm {
			d.CPUCalm = append(d.CPUCalm, our.Name)
		}
	}

	if dominates(our.memory(), other.memory()) {
		d.Memory = append(d.Memory, our.Name)

		if calm {
			d.MemoryCalm = append(d.MemoryCalm, our.Name)
		}
	}

	if dominates(our.all(), other.all()) {
		d.All = append(d.All, our.Name)
	}
}

// dominates compares costs. A row without numbers dominates nothing.
func dominates(our, other []float64) bool {
	better := false

	for i, cost := range our {
		if cost > other[i] {
			return false
		}

		better = better || cost < other[i]
	}

	return better
}

func (r *row) cpu() []float64 { return known(r.CPUSlack, r.CPUShortMinutes) }

func (r *row) memory() []float64 { return known(r.MemorySlack, r.MemoryShortMinutes) }

func (r *row) all() []float64 {
	return append(append(r.cpu(), r.memory()...), r.Resizes)
}

// known leaves out numbers of a resource that the recording does not have.
func known(numbers ...*float64) []float64 {
	var all []float64

	for _, number := range numbers {
		if number != nil {
			all = append(all, *number)
		}
	}

	return all
}
