package watch

import (
	"context"
	"time"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// outbox stands between a stream and a transport whose send may block for ever: the stream waits for a bounded time,
// and can end, which is what makes the transport's send return.
type outbox struct {
	timeout time.Duration
	events  chan *tidemarkv1.WatchRecommendationsResponse
	failed  chan error    // holds the transport's error, once
	done    chan struct{} // closed when the transport is no longer used
}

// closeGrace is how long the transport gets to finish its last event.
const closeGrace = time.Second

func newOutbox(send Send, timeout time.Duration) *outbox {
	o := &outbox{
		timeout: timeout,
		events:  make(chan *tidemarkv1.WatchRecommendationsResponse),
		failed:  make(chan error, 1),
		done:    make(chan struct{}),
	}

	go o.run(send)

	return o
}

// run passes events on until close or the first failure.
func (o *outbox) run(send Send) {
	defer close(o.done)

	for event := range o.events {
		if err := send(event); err != nil {
			o.failed <- err

			return
		}
	}
}

// send passes an event on, or returns why that cannot be.
func (o *outbox) send(ctx context.Context, event *tidemarkv1.WatchRecommendationsResponse) error {
	timeout := time.NewTimer(o.timeout)
	defer timeout.Stop()

	select {
	case o.events <- event:
		return nil
	case err := <-o.failed:
		return err
	case <-timeout.C:
		return ErrTooSlow
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// close ends the outbox. A transport that is blocked is not waited for beyond a grace: only when the stream has ended does
// its send return.
func (o *outbox) close() {
	close(o.events)

	grace := time.NewTimer(closeGrace)
	defer grace.Stop()

	select {
	case <-o.done:
	case <-grace.C:
	}
}
