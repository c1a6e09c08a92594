package demo

import (
	"log/slog"
	"sync"
	"time"

	"google.golang.org/protobuf/encoding/protojson"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// change is a recommendation as the agent printed it.
type change struct {
	*tidemarkv1.Recommendation

	// read is when we read the line.
	read time.Time
}

// changes hands what the agent prints to whoever listens.
type changes struct {
	logger *slog.Logger

	mu        sync.Mutex // guards all below
	listeners map[int]func(change)
	next      int
}

func newChanges(logger *slog.Logger) *changes {
	return &changes{logger: logger, listeners: make(map[int]func(change))}
}

// listen calls the listener for each change from now on, one after the other, until the returned function is called. The
// listener must be quick: the agent waits for it.
func (c *changes) listen(listener func(change)) (stop func()) {
	c.mu.Lock()
	defer c.mu.Unlock()

	id := c.next
	c.next++
	c.listeners[id] = listener

	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()

		delete(c.listeners, id)
	}
}

// take reads one line of the agent's.
func (c *changes) take(line []byte) {
	heard := change{Recommendation: &tidemarkv1.Recommendation{}, read: time.Now()}

	// An agent of another version may know fields that we do not.
	if err := (protojson.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(line, heard); err != nil {
		c.logger.Warn("the agent printed something that is no recommendation", "line", string(line), "error", err)

		return
	}

	c.mu.Lock()
	defer c.mu.Unlock()

	for _, listener := range c.listeners {
		listener(heard)
	}
}
