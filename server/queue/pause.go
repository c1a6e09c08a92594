package queue

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Scope is what a pause stops.
type Scope uint8

// The scopes.
const (
	// Accepting is the taking in of requests: while it is paused they are refused.
	Accepting Scope = iota
	// Evaluating is the handing out of items: while it is paused they wait.
	Evaluating
)

// scopeCount is the number of scopes.
const scopeCount = 2

// String returns the scope's name in lower case.
func (s Scope) String() string {
	switch s {
	case Accepting:
		return "accepting"
	case Evaluating:
		return "evaluating"
	default:
		return unknown
	}
}

// Pause is a stop that a person ordered.
type Pause struct {
	// Scope is what it stops.
	Scope Scope
	// Author is who ordered it, Reason why.
	Author, Reason string
	// Since is when it began. Pause sets it.
	Since time.Time
	// Until is when it ends by itself; zero when it does not.
	Until time.Time
}

// ErrInvalidPause means that a pause has no known scope, no author, no reason, or ends before it begins.
var ErrInvalidPause = errors.New("the pause is invalid")

// Pause stops what the pause's scope says, until somebody resumes it or the pause ends by itself. It takes the place of
// another pause of the scope. What runs goes on. It returns the pause as it stands, or ErrInvalidPause.
func (q *Queue) Pause(p Pause) (Pause, error) {
	q.lock()
	defer q.unlock()

	at := q.now()
	p.Since = q.clock.time(at)

	switch {
	case p.Scope >= scopeCount:
		return Pause{}, fmt.Errorf("%w: scope %d is unknown", ErrInvalidPause, p.Scope)
	case strings.TrimSpace(p.Author) == "" || strings.TrimSpace(p.Reason) == "":
		return Pause{}, fmt.Errorf("%w: it needs an author and a reason", ErrInvalidPause)
	case !p.Until.IsZero() && !p.Until.After(p.Since):
		return Pause{}, fmt.Errorf("%w: it would end at %s, which is past", ErrInvalidPause, p.Until.UTC().Format(time.RFC3339))
	}

	q.pauses[p.Scope] = &p
	q.regate(at)

	return p, nil
}

// Resume ends the pause of a scope and returns it; false when there was none.
func (q *Queue) Resume(scope Scope) (Pause, bool) {
	q.lock()
	defer q.unlock()

	at := q.now()
	if !q.paused(scope, at) {
		return Pause{}, false
	}

	ended := *q.pauses[scope]
	q.pauses[scope] = nil
	q.regate(at)

	return ended, true
}

// Pauses returns the pauses in force.
func (q *Queue) Pauses() []Pause {
	q.lock()
	defer q.unlock()

	var pauses []Pause

	at := q.now()
	for scope := range Scope(scopeCount) {
		if q.paused(scope, at) {
			pauses = append(pauses, *q.pauses[scope])
		}
	}

	return pauses
}

// paused reports whether a scope is paused, and forgets a pause that has ended.
func (q *Queue) paused(scope Scope, at int64) bool {
	if scope >= scopeCount || q.pauses[scope] == nil {
		return false
	}

	if q.pauses[scope].ends(&q.clock) > at {
		return true
	}

	q.pauses[scope] = nil

	return false
}

// ends returns when the pause ends by itself, or never.
func (p *Pause) ends(c *clock) int64 {
	if p.Until.IsZero() {
		return never
	}

	return c.at(p.Until)
}

// refusal returns why a paused queue takes nothing in, and when it may again.
func (q *Queue) refusal(p *Pause, at int64) *RefusedError {
	wait := q.cfg.RetryAfter
	if ends := p.ends(&q.clock); ends != never {
		wait = max(wait, time.Duration(ends-at))
	}

	return &RefusedError{Reason: fmt.Errorf("%w by %s: %s", ErrPaused, p.Author, p.Reason), RetryAfter: wait}
}
