package main

import (
	"fmt"
	"runtime"
	"syscall"
	"time"
)

// spent is what a measured piece took.
type spent struct {
	// wall is the time by the clock; cpu is the processor time of the whole process, collection of garbage and a queue's
	// own goroutines included.
	wall, cpu time.Duration
}

// measure runs the piece on a heap from which garbage is gone.
func measure(piece func()) (spent, error) {
	runtime.GC()

	cpu, err := processorTime()
	if err != nil {
		return spent{}, err
	}

	began := time.Now()

	piece()

	wall := time.Since(began)

	after, err := processorTime()

	return spent{wall: wall, cpu: after - cpu}, err
}

// processorTime returns the time that the process has used.
func processorTime() (time.Duration, error) {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0, fmt.Errorf("read the processor time of the process: %w", err)
	}

	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()), nil
}
