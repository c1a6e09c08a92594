package clickhouse

import "github.com/tidemark-project/tidemark/internal/clickhouseschema"

// findings are what one read has found.
type findings struct {
	reading

	// fresh are the signals that were not sent yet, invalid those of them that name no service. The values are the latest
	// arrivals, in milliseconds since the epoch.
	fresh, invalid   map[signal]int64
	rows, duplicates int64

	known *memory
}

func newFindings(known *memory) *findings {
	return &findings{fresh: map[signal]int64{}, invalid: map[signal]int64{}, known: known}
}

func (f *findings) add(r row) {
	f.rows++
	f.newest = later(f.newest, r.arrival)

	if f.known.knows(r) {
		f.duplicates++

		return
	}

	into := f.fresh
	if !clickhouseschema.ValidKey(r.service) {
		into = f.invalid
	}

	arrival, again := into[r.signal]
	if again {
		f.duplicates++
	}

	into[r.signal] = max(arrival, r.arrival.UnixMilli())
}
