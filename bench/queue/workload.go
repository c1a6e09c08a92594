package main

import "sync"

// workload is something that every queue is made to do.
type workload struct {
	name, about string
	// concurrent says that several goroutines are at work, and then the time by the clock counts.
	concurrent bool
	// run does about so many operations and returns how many it did.
	run func(s subject, k *keys, operations int) int
}

// course is a number of workloads, one after the other on the same queue, which is empty when it begins.
type course struct {
	workloads []*workload
	// most is the greatest number of keys with which it is run; zero is no bound.
	most int
}

// The names of the workloads.
const (
	fill             = "add"
	cycle            = "cycle"
	duplicate        = "duplicate"
	duplicateMany    = "duplicate, 8 goroutines"
	cycleWorkers     = "cycle, 8 workers"
	cycleManyWorkers = "cycle, 64 workers"
)

const (
	producers   = 2
	workers     = 8
	manyWorkers = 64
	adders      = 8
	// mostForMany is more than enough to see what many workers change.
	mostForMany = 100_000
)

func courses() []course {
	return []course{
		{workloads: []*workload{
			{fill, "of distinct keys to an empty queue", false, runFill},
			{cycle, "get, done and add while that many wait", false, runCycle},
			{duplicate, "add of what waits, while that many do", false, runDuplicates},
			{duplicateMany, "the same", true, runDuplicatesTogether},
		}},
		{workloads: []*workload{{cycleWorkers, "that many added by 2 goroutines while 8 get and complete", true, pass(workers)}}},
		{
			workloads: []*workload{{cycleManyWorkers, "the same with 64", true, pass(manyWorkers)}},
			most:      mostForMany,
		},
	}
}

func runFill(s subject, k *keys, _ int) int {
	for _, key := range k.first {
		s.add(key)
	}

	s.settle()

	return len(k.first)
}

func runCycle(s subject, _ *keys, operations int) int {
	for range operations {
		key, _ := s.take()
		s.add(key)
	}

	s.settle()

	return operations
}

func runDuplicates(s subject, k *keys, operations int) int {
	return repeat(s, k, operations, func(keys []string) {
		for _, key := range keys {
			s.add(key)
		}
	})
}

func runDuplicatesTogether(s subject, k *keys, operations int) int {
	return repeat(s, k, operations, func(keys []string) { together(adders, keys, s.add) })
}

// repeat adds keys again, all of them or as many as there are operations, until there were enough.
func repeat(s subject, k *keys, operations int, add func([]string)) int {
	again := k.again[:min(operations, len(k.again))]

	done := 0
	for ; done < operations; done += len(again) {
		add(again)
	}

	s.settle()

	return done
}

// pass returns a workload in which all keys go through the queue, as often as is needed. It closes the queue.
func pass(workers int) func(subject, *keys, int) int {
	return func(s subject, k *keys, operations int) int {
		var working, left sync.WaitGroup

		for range workers {
			working.Go(func() {
				for _, open := s.take(); open; _, open = s.take() {
					left.Done()
				}
			})
		}

		done := 0
		for ; done < operations; done += len(k.first) {
			left.Add(len(k.first))
			together(producers, k.first, s.add)
			left.Wait()
		}

		s.close()
		working.Wait()

		return done
	}
}

// together calls do for all keys from that many goroutines.
func together(goroutines int, keys []string, do func(string)) {
	var all sync.WaitGroup

	for i := range goroutines {
		part := keys[i*len(keys)/goroutines : (i+1)*len(keys)/goroutines]

		all.Go(func() {
			for _, key := range part {
				do(key)
			}
		})
	}

	all.Wait()
}
