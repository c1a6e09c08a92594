package tidemark

import (
	"context"
	"errors"
	"io"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

var (
	errSilent = status.Error(codes.Unavailable, "the stream fell silent: not even heartbeats came")
	errEnded  = status.Error(codes.Unavailable, "the server ended the stream")
)

// stream opens one stream and yields what it brings until it ends, and returns why.
func (f *follower) stream(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)

	silence := f.options.HeartbeatInterval * missedHeartbeats

	f.progressed = false
	request := f.request()
	snapshot := request.GetResumeToken() == "" && !request.GetChangesOnly()

	// Once the outage has been told, the stream waits for the connection, so that it is there as soon as the server is.
	stream, err := f.api.WatchRecommendations(ctx, request, grpc.WaitForReady(f.down))
	if err != nil {
		return streamError(ctx, err)
	}

	// Waiting for the connection is not silence: to give it up would only miss the moment at which the server is back.
	alarm := time.AfterFunc(silence, func() { cancel(errSilent) })
	defer alarm.Stop()

	for first := true; ; first = false {
		message, err := stream.Recv()
		if err != nil {
			return streamError(ctx, err)
		}

		// What the loop does with an event is not the stream's silence.
		alarm.Stop()

		f.lastMessage, f.down = time.Now(), false

		if first && snapshot {
			if err := f.startSnapshot(); err != nil {
				return err
			}
		}

		if err := f.take(message, snapshot); err != nil {
			return err
		}

		if message.GetEndOfSnapshot() != nil {
			snapshot = false
		}

		alarm.Reset(silence)
	}
}

// streamError says why a stream ended; its context may know better than the transport.
func streamError(ctx context.Context, err error) error {
	switch {
	case errors.Is(context.Cause(ctx), errSilent):
		return errSilent //nolint:wrapcheck // ours
	case errors.Is(err, io.EOF):
		return errEnded //nolint:wrapcheck // ours
	default:
		return err
	}
}

func (f *follower) startSnapshot() error {
	f.held.startSnapshot()

	return f.emit(Event{Kind: SnapshotStarted, Snapshot: true, Expired: f.expired})
}

// take yields one message, and then counts it as received.
func (f *follower) take(message *tidemarkv1.WatchRecommendationsResponse, snapshot bool) error {
	if err := f.pass(message, snapshot); err != nil {
		return err
	}

	if token := message.GetResumeToken(); token != "" {
		f.token, f.expired, f.progressed = token, false, true
		// Only a stream that got somewhere is a sign of health.
		f.delay.Reset()
	}

	return nil
}

func (f *follower) pass(message *tidemarkv1.WatchRecommendationsResponse, snapshot bool) error {
	event := Event{Snapshot: snapshot, ResumeToken: message.GetResumeToken()}

	switch body := message.GetEvent().(type) {
	case *tidemarkv1.WatchRecommendationsResponse_Recommendation:
		event.Kind, event.Recommendation = Changed, body.Recommendation

		// A renewal of what was never yielded is a change, whatever the server thinks.
		if message.GetRenewed() && !f.held.older(body.Recommendation.GetService(), body.Recommendation.GetRevision()) {
			event.Kind = Renewed
		}

		if !f.held.put(body.Recommendation.GetService(), body.Recommendation.GetRevision()) {
			return nil
		}
	case *tidemarkv1.WatchRecommendationsResponse_Removed:
		if !f.held.remove(body.Removed.GetService(), body.Removed.GetRevision()) {
			return nil
		}

		event.Kind, event.Removed = Removed, body.Removed
	case *tidemarkv1.WatchRecommendationsResponse_EndOfSnapshot:
		if err := f.endSnapshot(body.EndOfSnapshot, snapshot); err != nil {
			return err
		}

		event.Kind, event.EndOfSnapshot = CaughtUp, body.EndOfSnapshot
	case *tidemarkv1.WatchRecommendationsResponse_Heartbeat:
		f.held.settle()

		event.Kind, event.Heartbeat = Alive, body.Heartbeat
	default: // of a newer server
		return nil
	}

	return f.emit(event)
}

// endSnapshot yields as removed what was held before the snapshot and is not in it.
func (f *follower) endSnapshot(end *tidemarkv1.EndOfSnapshot, snapshot bool) error {
	if !snapshot {
		return nil
	}

	for _, service := range f.held.endSnapshot() {
		removed := &tidemarkv1.RecommendationRemoved{Service: service, Revision: end.GetRevision()}

		if err := f.emit(Event{Kind: Removed, Snapshot: true, Removed: removed}); err != nil {
			return err
		}
	}

	return nil
}
