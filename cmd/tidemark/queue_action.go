package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"

	"buf.build/go/protovalidate"

	"github.com/tidemark-project/tidemark/clients/tidemark"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// itemAction does the same with several items.
type itemAction struct {
	server *serverFlags
	json   bool
	out    io.Writer
	do     func(ctx context.Context, service string) (*tidemarkv1.QueueItem, error)
	said   func(context.Context, *tidemarkv1.QueueItem) string
	// goneIsFine means that nobody named the services, so one that is not in the queue any more is no error.
	goneIsFine bool
	// done is with how many items it was done.
	done int
}

// run goes through the services. One that is not in the queue does not keep it from the others; all else does.
func (a *itemAction) run(ctx context.Context, services iter.Seq2[string, error]) error {
	var missing []error

	for service, err := range services {
		if err == nil {
			err = a.one(ctx, service)
		}

		switch {
		case tidemark.HasReason(err, tidemarkv1.ErrorReason_ERROR_REASON_QUEUE_ITEM_NOT_FOUND):
			if !a.goneIsFine {
				missing = append(missing, a.server.explain(err))
			}
		case err != nil:
			return errors.Join(append(missing, a.server.explain(err))...)
		}
	}

	return errors.Join(missing...)
}

func (a *itemAction) one(ctx context.Context, service string) error {
	item, err := a.do(ctx, service)
	if err != nil {
		return err
	}

	a.done++

	if a.json {
		return printJSON(a.out, item)
	}

	return printLine(a.out, item.GetService()+"  "+a.said(ctx, item))
}

// named yields the services that somebody named.
func named(services []string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for _, service := range services {
			if !yield(service, nil) {
				return
			}
		}
	}
}

// checkServices returns an error that names each argument that cannot be a service's key, by the server's own rule. It
// comes before the first call, so that a slip of the pen in the middle does not leave half of them done.
func checkServices(services []string) error {
	var (
		wrong []string
		rule  string
	)

	for _, service := range services {
		err := protovalidate.Validate(&tidemarkv1.CancelItemRequest{Service: service})
		if err == nil {
			continue
		}

		refused, ok := errors.AsType[*protovalidate.ValidationError](err)
		if !ok {
			return fmt.Errorf("check %q: %w", service, err)
		}

		wrong, rule = append(wrong, strconv.Quote(service)), refused.Violations[0].Proto.GetMessage()
	}

	if len(wrong) == 0 {
		return nil
	}

	return fmt.Errorf("%s: not the key of a service, which %s; nothing was done", strings.Join(wrong, ", "), rule)
}
