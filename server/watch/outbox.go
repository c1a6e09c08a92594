package watch

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// closeGrace is how long the transport gets to finish its last events.
const closeGrace = time.Second

// outbox stands between a stream and a transport whose send may block for ever: the stream waits for a bounded time,
// and can end, which is what makes the transport's send return.
type outbox struct {
	timeout time.Duration
	end     <-chan struct{} // closed when the stream has to end
	events  chan *tidemarkv1.WatchRecommendationsResponse
	failed  chan error    // holds the transport's error, once
	done    chan struct{} // closed when the transport is no longer used
}

func newOutbox(send Send, timeout time.Duration, end <-chan struct{}) *outbox {
	o := &outbox{
		timeout: timeout,
		end:     end,
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

	// The recovery of calls does not reach this goroutine, and one bad message must not end the process.
	defer func() {
		if panicked := recover(); panicked != nil {
			o.failed <- fmt.Errorf("sending an event panicked: %v\n%s", panicked, debug.Stack())
		}
	}()

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
	case <-o.end:
		return newStoppingError()
	case <-ctx.Done():
		return fmt.Errorf("watch: %w", context.Cause(ctx))
	}
}

// close passes a last event on, unless it is nil, and ends the outbox. A transport that is blocked is not waited for
// beyond a grace: only when the stream has ended does its send return.
func (o *outbox) close(last *tidemarkv1.WatchRecommendationsResponse) {
	grace, cancel := context.WithTimeout(context.Background(), closeGrace)
	defer cancel()

	if last != nil {
		select {
		case o.events <- last:
		case <-o.done:
		case <-grace.Done():
		}
	}

	close(o.events)

	select {
	case <-o.done:
	case <-grace.Done():
	}
}
