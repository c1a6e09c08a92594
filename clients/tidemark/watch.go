package tidemark

import (
	"context"
	"iter"
	"time"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

const (
	defaultHeartbeat    = 10 * time.Second
	missedHeartbeats    = 3
	defaultMinReconnect = 200 * time.Millisecond
	defaultMaxReconnect = 5 * time.Second
)

// WatchOptions say what to watch and how.
type WatchOptions struct {
	// Filter selects recommendations; all when nil.
	Filter *tidemarkv1.RecommendationFilter
	// View is how much of each is sent; without explanation and triggers when not set.
	View tidemarkv1.View
	// ResumeToken goes on after the event of an earlier watch that bore it, if the server still can.
	ResumeToken string
	// ChangesOnly leaves the first snapshot out. One is still taken when the token expires, as changes would be missed.
	ChangesOnly bool
	// HeartbeatInterval is how often the server sends at least something; 10 s when not set. A stream that is silent for
	// three times as long is taken for dead.
	HeartbeatInterval time.Duration
	// MinReconnectDelay and MaxReconnectDelay bound the wait before a broken stream is opened again, which doubles with
	// every failure in a row and is varied by half; 200 ms and 5 s when not set. A longer wait that the server asks for is
	// kept to. A stream that the server ends for its age alone is opened again within the first of them, and no event
	// tells of it.
	MinReconnectDelay, MaxReconnectDelay time.Duration
}

func (o WatchOptions) withDefaults() WatchOptions {
	if o.HeartbeatInterval <= 0 {
		o.HeartbeatInterval = defaultHeartbeat
	}

	if o.MinReconnectDelay <= 0 {
		o.MinReconnectDelay = defaultMinReconnect
	}

	if o.MaxReconnectDelay <= 0 {
		o.MaxReconnectDelay = max(defaultMaxReconnect, o.MinReconnectDelay)
	}

	return o
}

// Watch yields a snapshot of the recommendations and then every change. It survives the server: a stream that breaks or
// falls silent is opened again, and goes on where it was or, when the server cannot do that, with a new snapshot, after
// which everything that vanished meanwhile has been yielded as Removed. A slow loop is no trouble: the latest value of
// each service replaces earlier ones.
//
// Whoever keeps the last Changed or Renewed per service, and drops a service on Removed, holds the present state after
// every CaughtUp; what is in it has expired only if the server did not renew it. Within what follows one SnapshotStarted, no service's revision ever goes back.
//
// Unless the loop is left, the sequence ends with exactly one error: that of ctx, or the server's when no retry can mend
// it (INVALID_ARGUMENT, PERMISSION_DENIED, UNAUTHENTICATED, UNIMPLEMENTED).
func (c *Client) Watch(ctx context.Context, options WatchOptions) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		f := newFollower(c.api, options.withDefaults(), yield)

		if err := f.run(ctx); !f.left {
			yield(Event{}, err)
		}
	}
}
