package backtest

// timeline adds up use and allocation by the hour. It counts in whole numbers, which can be added in any order: services
// are played at once, and the sums must not depend on which ends first.
type timeline struct {
	first int64 // hour since 1970
	hours []Hour
}

// Hour is what services used and had in one hour, times the seconds for which they did. A sample counts in the hour in
// which it ends.
type Hour struct {
	// Seconds are those of all services together.
	Seconds int64
	// CPUUsed and CPUAllocated are in millicore-seconds.
	CPUUsed, CPUAllocated int64
	// MemoryUsed and MemoryAllocated are in mebibyte-seconds.
	MemoryUsed, MemoryAllocated int64
}

func (h *Hour) add(other Hour) {
	h.Seconds += other.Seconds
	h.CPUUsed += other.CPUUsed
	h.CPUAllocated += other.CPUAllocated
	h.MemoryUsed += other.MemoryUsed
	h.MemoryAllocated += other.MemoryAllocated
}

func (t *timeline) add(sample *Sample, cpu, memory float64) {
	const mebibyte = 1 << 20

	hour := (sample.Time - 1) / 3600
	if len(t.hours) == 0 {
		t.first = hour
	}

	for int64(len(t.hours)) <= hour-t.first {
		t.hours = append(t.hours, Hour{})
	}

	stretch := float64(sample.Seconds)
	h := Hour{Seconds: sample.Seconds}

	if sample.CPUKnown {
		h.CPUUsed, h.CPUAllocated = int64(sample.CPUMillis*stretch), int64(cpu*stretch)
	}

	if sample.MemoryKnown {
		h.MemoryUsed = int64(float64(sample.MemoryBytes) / mebibyte * stretch)
		h.MemoryAllocated = int64(memory / mebibyte * stretch)
	}

	t.hours[hour-t.first].add(h)
}

// addTo adds the hours to a fleet's.
func (t *timeline) addTo(fleet map[int64]Hour) {
	for i, hour := range t.hours {
		if hour != (Hour{}) {
			sum := fleet[t.first+int64(i)]
			sum.add(hour)
			fleet[t.first+int64(i)] = sum
		}
	}
}
