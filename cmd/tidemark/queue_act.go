package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
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
	Call   callsFlags  `embed:""`
}

// Help implements kong.HelpProvider.
func (c *queueRetryCmd) Help() string {
	return `The failures of each item are forgotten and it is due at once. One that is being evaluated goes on as it is. While
evaluating is paused, or something that evaluations need is missing, items that are due wait, and you are told.`
}

// Run retries the items and prints what becomes of them.
func (c *queueRetryCmd) Run(ctx context.Context, out io.Writer, logger *slog.Logger) error {
	if err := c.check(); err != nil {
		return err
	}

	client, err := c.Call.dial(&c.Server)
	if err != nil {
		return err
	}
	defer client.Close() //nolint:errcheck // the process ends

	queue := client.Queue()
	held := holdUp{client: queue, logger: logger}

	act := itemAction{
		server: &c.Server, json: c.Call.JSON, out: out, goneIsFine: c.Failed,
		do: func(ctx context.Context, service string) (*tidemarkv1.QueueItem, error) {
			response, err := queue.RetryItem(ctx, &tidemarkv1.RetryItemRequest{Service: service})

			return response.GetItem(), err
		},
		said: func(ctx context.Context, item *tidemarkv1.QueueItem) string { return retriedText(ctx, item, &held) },
	}

	if !c.Failed {
		return act.run(ctx, named(c.Service))
	}

	switch err := act.run(ctx, c.failed(ctx, client)); {
	case err != nil && act.done > 0:
		return fmt.Errorf("%w\n  %d were retried before that; give the command again for the rest", err, act.done)
	case err == nil && act.done == 0 && !c.Call.JSON:
		return printLine(out, "nothing was given up")
	default:
		return err
	}
}

// check returns what is wrong with the arguments.
func (c *queueRetryCmd) check() error {
	switch {
	case c.Failed && len(c.Service) > 0:
		return errors.New("name services or give --failed, not both")
	case !c.Failed && len(c.Service) == 0:
		return errors.New("name the services to retry, or give --failed for all that were given up")
	case !c.Failed && c.Tenant != "":
		return errors.New("--tenant goes with --failed")
	default:
		return checkServices(c.Service)
	}
}

// failed yields the services that were given up, and fetches page after page. An item that is retried leaves the list, and
// keeps its place when it fails again: what follows it is not passed over, nor does the list become endless.
func (c *queueRetryCmd) failed(ctx context.Context, client *tidemark.Client) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for item, err := range client.QueueItems(ctx, &tidemarkv1.ListQueueItemsRequest{
			States: failedStates(), Tenant: c.Tenant, PageSize: listPage,
		}) {
			if !yield(item.GetService(), err) {
				return
			}
		}
	}
}

// retriedText says what becomes of an item: "is due now", and what it waits for then.
func retriedText(ctx context.Context, item *tidemarkv1.QueueItem, held *holdUp) string {
	if item.GetState() == tidemarkv1.ItemState_ITEM_STATE_RUNNING {
		return "is being evaluated already"
	}

	if why := held.now(ctx); why != "" {
		return "is due now, and waits: " + why
	}

	return "is due now"
}

// queueCancelCmd takes items out.
type queueCancelCmd struct {
	Service []string `arg:"" placeholder:"TENANT/NAME" help:"The services, such as prod/orders-db."`

	Server serverFlags `embed:"" group:"Server"`
	Call   callsFlags  `embed:""`
}

// Help implements kong.HelpProvider.
func (c *queueCancelCmd) Help() string {
	return `The work that was accepted for each service is dropped; an evaluation that runs is told to stop and what it finds
is not used. The recommendation in force stays. The next trigger enqueues the service again.`
}

// Run cancels the items and prints what they were.
func (c *queueCancelCmd) Run(ctx context.Context, out io.Writer, _ *slog.Logger) error {
	if err := checkServices(c.Service); err != nil {
		return err
	}

	client, err := c.Call.dial(&c.Server)
	if err != nil {
		return err
	}
	defer client.Close() //nolint:errcheck // the process ends

	queue := client.Queue()

	act := itemAction{
		server: &c.Server, json: c.Call.JSON, out: out,
		do: func(ctx context.Context, service string) (*tidemarkv1.QueueItem, error) {
			response, err := queue.CancelItem(ctx, &tidemarkv1.CancelItemRequest{Service: service})

			return response.GetItem(), err
		},
		said: func(_ context.Context, item *tidemarkv1.QueueItem) string {
			return "cancelled, was " + tidemark.FormatEnum(item.GetState())
		},
	}

	return act.run(ctx, named(c.Service))
}
