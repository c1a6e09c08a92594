package watch

import (
	"context"
	"time"
)

// stopPace is how much time there is between the ends of two streams when a server stops, unless there are so many that
// the spread would not suffice.
const stopPace = 5 * time.Millisecond

// Stop lets no more streams in and ends the open ones with ErrStopping, evenly over a few seconds, so that their readers
// do not all come back elsewhere at one moment. Until its turn comes a stream goes on. Stop returns when all have been
// told, and does not wait for their ends; when ctx ends, those that are left are told at once.
func (h *Hub) Stop(ctx context.Context) {
	h.stopOnce.Do(func() {
		open := h.refuse()
		if len(open) == 0 {
			return
		}

		pace := min(stopPace, h.config.StopSpread/time.Duration(len(open)))
		began := time.Now()

		for i, s := range open {
			pause(ctx, time.Until(began.Add(time.Duration(i)*pace)))
			close(s.end)
		}
	})
}

// refuse lets no more streams in and returns the open ones, in no particular order.
func (h *Hub) refuse() []*stream {
	h.mu.Lock()
	defer h.mu.Unlock()

	h.readers.stopping = true
	open := make([]*stream, 0, len(h.readers.open))

	for s := range h.readers.open {
		open = append(open, s)
	}

	return open
}

// pause waits for a time, unless ctx ends.
func pause(ctx context.Context, duration time.Duration) {
	if duration <= 0 {
		return
	}

	timer := time.NewTimer(duration)
	defer timer.Stop()

	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
