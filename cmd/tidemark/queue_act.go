package main

import (
	"context"
	"errors"
	"io"
	"log/slog"

	"github.com/tidemark-project/tidemark/clients/tidemark"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// queueRetryCmd has items evaluated now.
type queueRetryCmd struct {
	Service []string `arg:"" optional:"" placeholder:"TENANT/NAME" help:"The services, such as prod/orders-db."`
	Failed  bool     `help:"All items that were given up, instead of named ones."`
	Tenant  string   `help:"With --failed, only this tenant's."`

	Server serverFlags `embed:"" group:"Server"`
	Call   callFlags   `embed:""`
}

// Help implements kong.HelpProvider.
func (c *queueRetryCmd) Help() string {
	return `The failures of each item are forgotten and it is due at once. One that is being evaluated goes on as it is.`
}

// Run retries the items and prints what becomes of them.
func (c *queueRetryCmd) Run(ctx context.Context, out io.Writer, _ *slog.Logger) error {
	switch {
	case c.Failed && len(c.Service) > 0:
		return errors.New("name services or give --failed, not both")
	case !c.Failed && len(c.Service) == 0:
		return errors.New("name the services to retry, or give --failed for all that were given up")
	case !c.Failed && c.Tenant != "":
		return errors.New("--tenant goes with --failed")
	}

	act := itemAction{server: &c.Server, call: &c.Call, out: out, said: retriedText, goneIsFine: c.Failed}
	act.do = func(ctx context.Context, service string) (*tidemarkv1.QueueItem, error) {
		response, err := act.client.RetryItem(ctx, &tidemarkv1.RetryItemRequest{Service: service})

		return response.GetItem(), err
	}

	services := c.Service
	if c.Failed {
		var err error
		if services, err = c.failed(ctx); err != nil {
			return err
		}

		if len(services) == 0 && !c.Call.JSON {
			return printLine(out, "nothing was given up")
		}
	}

	return act.run(ctx, services)
}

// failed are the services that were given up.
func (c *queueRetryCmd) failed(ctx context.Context) ([]string, error) {
	var services []string

	err := queueCall(ctx, &c.Server, c.Call.Timeout, func(ctx context.Context, client *tidemark.Client) error {
		for item, err := range client.QueueItems(ctx, &tidemarkv1.ListQueueItemsRequest{
			States: failedStates(), Tenant: c.Tenant, PageSize: listPage,
		}) {
			if err != nil {
				return err
			}

			services = append(services, item.GetService())
		}

		return nil
	})

	return services, err
}

func retriedText(item *tidemarkv1.QueueItem) string {
	if item.GetState() == tidemarkv1.ItemState_ITEM_STATE_RUNNING {
		return "is being evaluated already"
	}

	return "is due now"
}

// queueCancelCmd takes items out.
type queueCancelCmd struct {
	Service []string `arg:"" placeholder:"TENANT/NAME" help:"The services, such as prod/orders-db."`

	Server serverFlags `embed:"" group:"Server"`
	Call   callFlags   `embed:""`
}

// Help implements kong.HelpProvider.
func (c *queueCancelCmd) Help() string {
	return `The work that was accepted for each service is dropped; an evaluation that runs is told to stop and what it finds
is not used. The recommendation in force stays. The next trigger enqueues the service again.`
}

// Run cancels the items and prints what they were.
func (c *queueCancelCmd) Run(ctx context.Context, out io.Writer, _ *slog.Logger) error {
	act := itemAction{server: &c.Server, call: &c.Call, out: out, said: cancelledText}
	act.do = func(ctx context.Context, service string) (*tidemarkv1.QueueItem, error) {
		response, err := act.client.CancelItem(ctx, &tidemarkv1.CancelItemRequest{Service: service})

		return response.GetItem(), err
	}

	return act.run(ctx, c.Service)
}

func cancelledText(item *tidemarkv1.QueueItem) string {
	return "cancelled, was " + tidemark.FormatEnum(item.GetState())
}

// itemAction does the same with several items.
type itemAction struct {
	server *serverFlags
	call   *callFlags
	out    io.Writer
	client tidemarkv1.QueueServiceClient
	do     func(ctx context.Context, service string) (*tidemarkv1.QueueItem, error)
	said   func(*tidemarkv1.QueueItem) string
	// goneIsFine means that nobody named the services, so one that is not in the queue any more is no error.
	goneIsFine bool
}

// run goes through the services. One that is not in the queue does not keep it from the others; all else does.
func (a *itemAction) run(ctx context.Context, services []string) error {
	client, err := a.server.dial()
	if err != nil {
		return err
	}
	defer client.Close() //nolint:errcheck // the process ends

	a.client = client.Queue()

	var missing []error

	for _, service := range services {
		err := a.one(ctx, service)

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
	ctx, cancel := context.WithTimeout(ctx, a.call.Timeout)
	defer cancel()

	item, err := a.do(ctx, service)
	if err != nil {
		return err
	}

	if a.call.JSON {
		return printJSON(a.out, item)
	}

	return printLine(a.out, item.GetService()+"  "+a.said(item))
}
