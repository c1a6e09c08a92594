package agent

import (
	"sync"
	"time"
)

// window allows so many starts within any minute. A bucket of tokens would allow up to twice as many in a bad minute;
// remembering the starts costs eight bytes times the limit more and keeps the promise.
type window struct {
	mu     sync.Mutex
	starts []time.Time // the latest, as a ring; empty when there is no limit
	oldest int
}

// newWindow returns a window of the limit; without one when it is not positive.
func newWindow(limit int) *window {
	if limit <= 0 {
		return &window{}
	}

	return &window{starts: make([]time.Time, limit)}
}

// take notes a start and returns true, if one is allowed now.
func (w *window) take(now time.Time) bool {
	w.mu.Lock()
	defer w.mu.Unlock()

	if len(w.starts) == 0 {
		return true
	}

	if !over(w.starts[w.oldest], now) {
		return false
	}

	w.starts[w.oldest] = now
	w.oldest = (w.oldest + 1) % len(w.starts)

	return true
}

// free returns how many starts are allowed now.
func (w *window) free(now time.Time) int {
	w.mu.Lock()
	defer w.mu.Unlock()

	for i := range w.starts {
		if !over(w.starts[(w.oldest+i)%len(w.starts)], now) {
			return i
		}
	}

	return len(w.starts)
}

// until returns how long it is until a start is allowed; 0 when one is allowed now.
func (w *window) until(now time.Time) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()

	if len(w.starts) == 0 || over(w.starts[w.oldest], now) {
		return 0
	}

	return w.starts[w.oldest].Add(time.Minute).Sub(now)
}

// over reports that a start is no longer within the minute that ends now.
func over(start, now time.Time) bool { return start.IsZero() || now.Sub(start) >= time.Minute }
