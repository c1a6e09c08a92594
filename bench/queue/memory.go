package main

import "runtime"

// footprint is what a waiting item takes in one queue.
//
//nolint:tagliatelle // as the results of all benchmarks are named
type footprint struct {
	Queue string `json:"queue"`
	// Items is how many wait.
	Items int `json:"items"`
	// BytesPerItem has the key in it.
	BytesPerItem float64 `json:"bytes_per_item"`
}

// footprints fills each queue with so many items.
func footprints(items int) ([]*footprint, error) {
	var prints []*footprint

	for _, c := range contenders() {
		before := heap()

		s, err := c.open(items)
		if err != nil {
			return nil, err
		}

		for i := range items {
			s.add(key(i))
		}

		s.settle()

		prints = append(prints, &footprint{
			Queue: c.name, Items: items, BytesPerItem: (float64(heap()) - float64(before)) / float64(items),
		})

		s.close()
	}

	return prints, nil
}

// heap returns the bytes that are in use; the second collection frees what the first one found that had to be finalised.
func heap() uint64 {
	var stats runtime.MemStats

	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&stats)

	return stats.HeapAlloc
}
