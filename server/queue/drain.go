package queue

import "context"

// Drain ends the queue's work: from now on nothing is taken in and nothing handed out. It waits for what runs until the
// context ends and returns all items that are left, running ones included. Any number of callers may drain, and each
// gets what is left.
func (q *Queue) Drain(ctx context.Context) []Item {
	q.stop()

	select {
	case <-q.idle:
	case <-q.closed:
	case <-ctx.Done():
	}

	return q.Items()
}

// Close stops the queue without waiting for what runs. Leases may still be completed.
func (q *Queue) Close() {
	q.stop()

	q.lock()
	defer q.unlock()

	select {
	case <-q.closed:
	default:
		close(q.closed)
	}
}

// stop refuses new work and ends every Get.
func (q *Queue) stop() {
	q.lock()
	defer q.unlock()

	if q.stopped {
		return
	}

	q.stopped = true
	q.waiters.callAll()

	if q.alarm.timer != nil {
		q.alarm.timer.Stop()
	}

	q.noteIdle()
}

// noteIdle lets Drain return when nothing runs and nothing will.
func (q *Queue) noteIdle() {
	if !q.stopped || q.runs.count > 0 {
		return
	}

	select {
	case <-q.idle:
	default:
		close(q.idle)
	}
}
