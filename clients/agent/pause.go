package agent

import (
	"context"
	"math"
	"time"
)

// lookEvery is how often the agent looks whether the stop file is gone, and for a free place within the minute where none
// is known to come.
const lookEvery = time.Second

// Pause keeps the agent from acting until Resume. What is under way goes on to its end. Recommendations are followed, and
// the newest of each service is kept. Why is for the log and the reports, such as "SIGHUP". A paused agent may be paused
// again, for another reason.
func (a *Agent) Pause(why string) {
	if why == "" {
		why = "no reason was given"
	}

	if a.gate.pause(why) {
		a.logger.Warn("PAUSED: nothing is acted on until the agent is resumed", "reason", why)
	}
}

// Resume ends a pause. What was kept is acted on, as far as it still holds.
func (a *Agent) Resume() {
	if a.gate.resume() {
		a.logger.Warn("RESUMED: acting again", "waiting", a.lanes.keeps(heldClosed))
		a.look()
	}
}

// TogglePause pauses an agent that is not paused, and resumes one that is.
func (a *Agent) TogglePause(why string) {
	if a.Paused() {
		a.Resume()
	} else {
		a.Pause(why)
	}
}

// Paused reports that Pause was called and Resume was not since. The stop file does not count.
func (a *Agent) Paused() bool {
	a.gate.mu.Lock()
	defer a.gate.mu.Unlock()

	return a.gate.paused != ""
}

// releaseHeld hands over what is held as soon as it may be, until ctx ends.
func (a *Agent) releaseHeld(ctx context.Context) error {
	for {
		var timer <-chan time.Time
		if wait := a.release(ctx); wait > 0 {
			timer = time.After(wait)
		}

		select {
		case <-a.looks:
		case <-timer:
		case <-ctx.Done():
			return ctx.Err() //nolint:wrapcheck // the caller's own
		}
	}
}

// look makes releaseHeld look at once.
func (a *Agent) look() {
	select {
	case a.looks <- struct{}{}:
	default: // it is going to
	}
}

// release makes ready what is held and may be acted on, and returns after how long to look again; 0 when nothing is to be
// seen before somebody calls look.
func (a *Agent) release(ctx context.Context) time.Duration {
	wait := time.Duration(0)
	if a.config.StopFile != "" {
		wait = lookEvery
	}

	if a.gate.closed(ctx) != "" {
		return wait
	}

	a.lanes.release(heldClosed, math.MaxInt)

	if left := a.lanes.release(heldLimited, a.window.free(time.Now())); left == 0 {
		return wait
	}

	// While there is a free place, one that was released is about to take it; or it has come to nothing.
	next := a.window.until(time.Now())
	if next == 0 {
		next = lookEvery
	}

	if wait == 0 {
		return next
	}

	return min(wait, next)
}
