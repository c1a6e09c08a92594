package watch

import (
	"errors"
	"fmt"
	"maps"
	"testing"
	"testing/synctest"
	"time"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// position is what a client remembers from one stream to the next.
type position struct {
	token    string
	revision int64              // of the token
	held     map[string]holding // by service
}

// holding is what is known of one service.
type holding struct {
	revision int64
	expires  time.Time
}

func (p position) clone() position {
	p.held = maps.Clone(p.held)

	return p
}

// client follows the hub as a real one should: it keeps what it is sent, goes on with its token when a stream ends, and
// starts afresh when the token is refused. It notes whatever a stream does wrong.
type client struct {
	position

	filter    *tidemarkv1.RecommendationFilter
	forgetful bool // it cannot go back
	reader    *reader
	past      []position // where it could go on from
	latest    map[string]int64
	resent    map[string]bool // services whose values were sent again on order
	sent      int64           // recommendations on this stream before the end of the snapshot
	complete  bool            // the snapshot has ended
	problems  []error
}

func (c *client) connect(t *testing.T, h *Hub) {
	t.Helper()

	if c.token == "" {
		c.held = make(map[string]holding)
	}

	c.latest, c.sent, c.complete = make(map[string]int64), 0, false
	c.reader = open(t, h, 0, &request{Filter: c.filter, ResumeToken: c.token})
}

// disconnect ends the stream and takes in what came before.
func (c *client) disconnect() {
	c.reader.stop()
	c.digest()

	if _, expired := errors.AsType[TokenError](c.reader.err); expired {
		c.position = position{}
	}
}

func (c *client) reconnect(t *testing.T, h *Hub) {
	t.Helper()

	c.disconnect()
	c.connect(t, h)
}

// goBack forgets the latest events, as a client would that did not save them.
func (c *client) goBack(events int) {
	c.disconnect()

	if at := len(c.past) - events; at >= 0 {
		c.position = c.past[at].clone()
	}
}

// finish reads until there is nothing more to read, on as many streams as that takes.
func (c *client) finish(t *testing.T, h *Hub) {
	t.Helper()

	if c.reader != nil {
		c.disconnect()
	}

	for range 2 {
		c.connect(t, h)
		c.reader.grant(all)
		synctest.Wait()
		c.digest()
		c.disconnect()
	}
}

// digest takes in the events that came.
func (c *client) digest() {
	for _, e := range c.reader.taken() {
		c.take(e)

		if e.GetResumeToken() == "" {
			continue
		}

		_, revision, err := decodeToken(e.GetResumeToken())
		c.notef(err == nil, "token %q: %v", e.GetResumeToken(), err)
		c.notef(revision >= c.revision, "token goes back from %d to %d", c.revision, revision)
		c.token, c.revision = e.GetResumeToken(), revision

		if !c.forgetful {
			c.past = append(c.past, c.clone())
		}
	}
}

func (c *client) take(e *event) {
	switch {
	case e.GetRecommendation() != nil:
		c.keep(e.GetRecommendation(), e.GetRenewed())

		if !c.complete {
			c.sent++
		}
	case e.GetRemoved() != nil:
		c.advance(e.GetRemoved().GetService(), e.GetRemoved().GetRevision())
		delete(c.held, e.GetRemoved().GetService())
	case e.GetEndOfSnapshot() != nil:
		c.notef(!c.complete, "a second end of the snapshot")
		c.notef(e.GetEndOfSnapshot().GetCount() == c.sent, "end says %v, %d were sent", e.GetEndOfSnapshot(), c.sent)
		c.complete = true
	}
}

// keep takes in a value. A renewal must be of the value that is held.
func (c *client) keep(r *tidemarkv1.Recommendation, renewed bool) {
	service, revision, before := r.GetService(), r.GetRevision(), c.held[r.GetService()]

	if renewed {
		c.notef(revision == before.revision, "%s: renewal of %d, and %d is held", service, revision, before.revision)
		c.notef(!expiry(r).Before(before.expires), "%s: renewed to an earlier time", service)
	} else if !c.resent[service] || revision != c.latest[service] {
		c.advance(service, revision)
	}

	c.notef(revision >= before.revision, "%s goes back from %d to %d", service, before.revision, revision)
	c.held[service] = holding{revision, expiry(r)}
}

// advance checks that a service's revisions grow on a stream.
func (c *client) advance(service string, revision int64) {
	c.notef(revision > c.latest[service], "%s: revision %d after %d", service, revision, c.latest[service])
	c.latest[service] = revision
}

func (c *client) notef(fine bool, format string, args ...any) {
	if !fine {
		c.problems = append(c.problems, fmt.Errorf(format, args...))
	}
}

// check compares what the client holds. A copy may expire earlier than the original, by less than half of its time.
func (c *client) check(who string, want map[string]holding) error {
	if maps.EqualFunc(c.held, want, func(got, want holding) bool {
		return got.revision == want.revision && want.expires.Sub(got.expires) < modelValidity/2
	}) {
		return errors.Join(c.problems...)
	}

	return errors.Join(append(c.problems, fmt.Errorf("%s holds %v, want %v", who, c.held, want))...)
}

// checkList compares what the client holds with what a list with the same filter shows.
func (c *client) checkList(wanted *Filter, h *Hub) error {
	page, more, _ := h.List(wanted, tidemarkv1.View_VIEW_BASIC, "", len(c.held)+1)
	if more || len(page) != len(c.held) {
		return fmt.Errorf("%d services are held, the list shows %d or more", len(c.held), len(page))
	}

	for _, r := range page {
		if held := c.held[r.GetService()]; held.revision != r.GetRevision() {
			return fmt.Errorf("%s is held at %d, the list shows %d", r.GetService(), held.revision, r.GetRevision())
		}
	}

	return nil
}
