package tidemark

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/cenkalti/backoff/v5"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

var errLeft = errors.New("the loop was left")

// follower keeps one watch going over any number of streams.
type follower struct {
	api     tidemarkv1.RecommendationServiceClient
	options WatchOptions
	yield   func(Event, error) bool
	left    bool // the loop was left: yield must not be called any more

	token   string // where to go on; empty when a snapshot has to be taken
	expired bool   // the snapshot has to be taken because a token expired
	held    ledger

	delay       *backoff.ExponentialBackOff
	lastMessage time.Time
	down        bool // Disconnected has been yielded and nothing since
	progressed  bool // the stream brought a token
}

func newFollower(
	api tidemarkv1.RecommendationServiceClient, options WatchOptions, yield func(Event, error) bool,
) *follower {
	delay := backoff.NewExponentialBackOff()
	delay.InitialInterval = options.MinReconnectDelay
	delay.MaxInterval = options.MaxReconnectDelay
	delay.Multiplier = 2
	delay.Reset()

	return &follower{
		api: api, options: options, yield: yield,
		token: options.ResumeToken, held: newLedger(), delay: delay,
	}
}

// run opens stream after stream until the loop is left, ctx ends or a retry cannot help.
func (f *follower) run(ctx context.Context) error {
	for {
		err := f.stream(ctx)

		switch {
		case f.left:
			return errLeft
		case ctx.Err() != nil:
			return ctx.Err() //nolint:wrapcheck // the caller's own
		case HasReason(err, tidemarkv1.ErrorReason_ERROR_REASON_RESUME_TOKEN_EXPIRED):
			if f.token != "" {
				f.token, f.expired = "", true

				continue
			}
		case Fatal(err):
			return fmt.Errorf("watch recommendations: %w", err)
		case f.progressed && HasReason(err, tidemarkv1.ErrorReason_ERROR_REASON_STREAM_AGED):
			// The server's way to make its readers move, and no outage. A stream that brought nothing is no such case,
			// whatever the server says of it.
			if err := wait(ctx, rand.N(f.options.MinReconnectDelay)); err != nil {
				return err
			}

			continue
		}

		if !f.down {
			f.down = true

			if err := f.emit(Event{Kind: Disconnected, Err: err, Since: f.lastMessage, ResumeToken: f.token}); err != nil {
				return err
			}
		}

		if err := wait(ctx, RetryDelay(err)+f.delay.NextBackOff()); err != nil {
			return err
		}
	}
}

// request asks for what is still owed.
func (f *follower) request() *tidemarkv1.WatchRecommendationsRequest {
	return &tidemarkv1.WatchRecommendationsRequest{
		Filter:      f.options.Filter,
		View:        f.options.View,
		ResumeToken: f.token,
		ChangesOnly: f.token == "" && !f.expired && f.options.ChangesOnly,
	}
}

// emit hands an event to the loop.
func (f *follower) emit(event Event) error {
	if !f.yield(event, nil) {
		f.left = true

		return errLeft
	}

	return nil
}

// wait returns after the delay, or with the error of ctx when that ends first.
func wait(ctx context.Context, delay time.Duration) error {
	timer := time.NewTimer(delay)
	defer timer.Stop()

	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err() //nolint:wrapcheck // the caller's own
	}
}
