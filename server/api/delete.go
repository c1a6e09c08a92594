package api

import (
	"context"
	"errors"
	"fmt"

	"google.golang.org/grpc/codes"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/server/queue"
	"github.com/tidemark-project/tidemark/server/rpcerror"
	"github.com/tidemark-project/tidemark/server/store"
)

// DeleteService implements the RPC.
func (r *Recommendations) DeleteService(
	ctx context.Context, request *tidemarkv1.DeleteServiceRequest,
) (*tidemarkv1.DeleteServiceResponse, error) {
	revision, err := r.forget(ctx, request.GetService())
	if err != nil {
		return nil, err
	}

	r.observer.Forgotten(false)
	r.logger.InfoContext(ctx, "deletion was ordered", "service", request.GetService(), "revision", revision)

	return &tidemarkv1.DeleteServiceResponse{Revision: revision}, nil
}

// ForgetGone deletes a service that has gone without anybody saying so. One that nothing is known of is no error.
func (r *Recommendations) ForgetGone(ctx context.Context, service string) error {
	_, err := r.forget(ctx, service)
	if refused, is := errors.AsType[*rpcerror.Error](err); is && refused.GRPCStatus().Code() == codes.NotFound {
		return nil
	}

	if err != nil {
		return err
	}

	r.observer.Forgotten(true)

	return nil
}

// forget deletes a service from the store and then from the queue, and returns the revision of the deletion. The store
// comes first: when it fails, nothing has happened and the call can be repeated. An evaluation that is under way cannot
// commit any more, whether it is told in time or not: the store refuses what was asked for before the deletion.
func (r *Recommendations) forget(ctx context.Context, service string) (int64, error) {
	before, queued := r.queue.Item(service)

	revision, err := r.store.Delete(ctx, service)

	switch {
	case errors.Is(err, store.ErrNotFound) && !queued:
		return 0, rpcerror.New(codes.NotFound, tidemarkv1.ErrorReason_ERROR_REASON_SERVICE_NOT_FOUND,
			"nothing is known of service "+service).About(service)
	case errors.Is(err, store.ErrNotFound):
		revision = before.Revision // only the queue knows of it
	case err != nil:
		return 0, fmt.Errorf("delete service %s: %w", service, err)
	}

	r.unqueue(ctx, service, revision)

	return revision, nil
}

// unqueue takes the work of before a deletion out of the queue. What was accepted since is not part of the deletion and
// goes back.
func (r *Recommendations) unqueue(ctx context.Context, service string, deleted int64) {
	item, queued := r.queue.Forget(service)
	if !queued || item.Revision <= deleted {
		return
	}

	for _, trigger := range item.Triggers {
		if err := r.queue.Restore(&queue.Request{
			Service: service, Trigger: trigger.Trigger, Source: trigger.Source, Detail: trigger.Detail,
			Observed: trigger.Observed, Revision: item.Revision,
		}, queue.Past{}); err != nil {
			r.logger.WarnContext(ctx, "work that came during a deletion waits for the next start", "service", service,
				"error", err)
		}
	}
}
