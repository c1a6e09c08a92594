package clickhouse

import (
	"maps"
	"slices"
	"time"
)

// memory knows the signals that were sent and may yet be read again.
type memory struct {
	limit   int
	arrival map[signal]int64 // milliseconds since the epoch, the latest of its rows
	swept   time.Time        // the horizon of the latest sweep
}

// sweepEvery is how far the horizon moves between two sweeps, which look at everything.
const sweepEvery = 30 * time.Second

func newMemory(limit int) *memory {
	return &memory{limit: limit, arrival: map[signal]int64{}}
}

// knows reports whether the row's signal was sent, and keeps it in mind for longer if so.
func (m *memory) knows(r row) bool {
	arrival, known := m.arrival[r.signal]
	if known {
		m.arrival[r.signal] = max(arrival, r.arrival.UnixMilli())
	}

	return known
}

// add remembers signals that were sent, by their arrival.
func (m *memory) add(sent map[signal]int64) {
	maps.Copy(m.arrival, sent)
}

// forget drops what arrived before the horizon. It returns how many others had to be dropped because of the limit.
func (m *memory) forget(horizon time.Time) int {
	if len(m.arrival) <= m.limit && horizon.Sub(m.swept).Abs() < sweepEvery {
		return 0
	}

	m.swept = horizon
	m.dropBefore(horizon.UnixMilli())

	before := len(m.arrival)
	if before <= m.limit {
		return 0
	}

	m.dropOldest(before - (m.limit - m.limit/4)) // some room is made, so that the next poll need not do it again

	return before - len(m.arrival)
}

func (m *memory) dropOldest(number int) {
	arrivals := slices.Sorted(maps.Values(m.arrival))
	edge := arrivals[number-1]
	ties := number

	for _, arrival := range arrivals[:number] {
		if arrival < edge {
			ties--
		}
	}

	m.dropBefore(edge)

	for s, arrival := range m.arrival {
		if arrival == edge && ties > 0 {
			delete(m.arrival, s)

			ties--
		}
	}
}

func (m *memory) dropBefore(millis int64) {
	maps.DeleteFunc(m.arrival, func(_ signal, arrival int64) bool { return arrival < millis })
}
