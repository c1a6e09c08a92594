package api

import (
	"context"
	"time"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/server/apivalue"
	"github.com/tidemark-project/tidemark/server/queue"
	"github.com/tidemark-project/tidemark/server/rpcerror"
)

// PauseQueue implements the RPC.
func (s *Queue) PauseQueue(
	ctx context.Context, request *tidemarkv1.PauseQueueRequest,
) (*tidemarkv1.PauseQueueResponse, error) {
	until, err := pauseEnd(request, time.Now())
	if err != nil {
		return nil, err
	}

	pause, err := s.queue.Pause(queue.Pause{
		Scope: scopesByName[request.GetScope()], Author: request.GetAuthor(), Reason: request.GetReason(), Until: until,
	})
	if err != nil {
		// All else was checked before, so time went by.
		return nil, invalidPauseEnd(err.Error())
	}

	end := "never"
	if !until.IsZero() {
		end = until.Format(time.RFC3339)
	}

	s.logger.InfoContext(ctx, "queue is paused", "scope", pause.Scope.String(), "author", pause.Author,
		"reason", pause.Reason, "ends", end)

	return &tidemarkv1.PauseQueueResponse{Pause: pauseMessage(pause)}, nil
}

// ResumeQueue implements the RPC.
func (s *Queue) ResumeQueue(
	ctx context.Context, request *tidemarkv1.ResumeQueueRequest,
) (*tidemarkv1.ResumeQueueResponse, error) {
	ended, paused := s.queue.Resume(scopesByName[request.GetScope()])
	if !paused {
		return &tidemarkv1.ResumeQueueResponse{}, nil
	}

	s.logger.InfoContext(ctx, "queue is resumed", "scope", ended.Scope.String(), "author", request.GetAuthor(),
		"paused_by", ended.Author, "paused_for", time.Since(ended.Since))

	return &tidemarkv1.ResumeQueueResponse{Pause: pauseMessage(ended)}, nil
}

// lastPauseEnd is the latest end of a pause: times far behind it are beyond the queue's clock.
var lastPauseEnd = time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC)

// pauseEnd returns when the pause ends by itself, zero when it does not.
func pauseEnd(request *tidemarkv1.PauseQueueRequest, now time.Time) (time.Time, error) {
	asked := request.GetExpireTime()
	if asked == nil {
		return time.Time{}, nil
	}

	if err := asked.CheckValid(); err != nil {
		return time.Time{}, invalidPauseEnd(err.Error())
	}

	if until := asked.AsTime(); until.After(now) && until.Before(lastPauseEnd) {
		return until, nil
	}

	return time.Time{}, invalidPauseEnd("must be a time to come before the year 2200; it is " +
		now.UTC().Format(time.RFC3339) + " now; leave it out for a pause that does not end by itself")
}

func invalidPauseEnd(why string) error {
	return rpcerror.InvalidField(rpcerror.Field{Path: "expire_time", Description: why})
}

// scopes maps the queue's scopes to the API's, and scopesByName back.
var (
	scopes = map[queue.Scope]tidemarkv1.PauseScope{
		queue.Accepting:  tidemarkv1.PauseScope_PAUSE_SCOPE_ACCEPTING,
		queue.Evaluating: tidemarkv1.PauseScope_PAUSE_SCOPE_EVALUATING,
	}
	scopesByName = inverse(scopes)
)

func pauseMessage(p queue.Pause) *tidemarkv1.Pause {
	return &tidemarkv1.Pause{
		Scope:      scopes[p.Scope],
		Author:     p.Author,
		Reason:     p.Reason,
		PauseTime:  apivalue.TimeOrNone(p.Since),
		ExpireTime: apivalue.TimeOrNone(p.Until),
	}
}
