package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"time"

	"github.com/tidemark-project/tidemark/clients/tidemark"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// queueStatusInterval is the time between two looks of a status that is watched.
const queueStatusInterval = 2 * time.Second

// queueStatusCmd shows the queue in numbers.
type queueStatusCmd struct {
	Tenant string `help:"Only this tenant's part."`
	Watch  bool   `help:"Show it every two seconds, until interrupted."`

	Server serverFlags `embed:"" group:"Server"`
	Call   callFlags   `embed:""`
}

// Run prints the status, once or until ctx ends.
func (c *queueStatusCmd) Run(ctx context.Context, out io.Writer, logger *slog.Logger) error {
	ticker := time.NewTicker(queueStatusInterval)
	defer ticker.Stop()

	for {
		status, err := c.status(ctx)

		switch {
		case err == nil:
			if err := c.print(out, status); err != nil {
				return err
			}
		case !c.Watch || errors.Is(err, context.Canceled):
			return err
		default:
			logger.WarnContext(ctx, "no status", "error", err)
		}

		if !c.Watch {
			return nil
		}

		select {
		case <-ticker.C:
		case <-ctx.Done():
			return ctx.Err() //nolint:wrapcheck // the caller's own
		}
	}
}

// status asks for the status as it is now.
func (c *queueStatusCmd) status(ctx context.Context) (status *tidemarkv1.GetQueueStatusResponse, err error) {
	err = queueCall(ctx, &c.Server, c.Call.Timeout, func(ctx context.Context, client *tidemark.Client) error {
		status, err = client.Queue().GetQueueStatus(ctx, &tidemarkv1.GetQueueStatusRequest{Tenant: c.Tenant})

		return err
	})

	return status, err
}

func (c *queueStatusCmd) print(out io.Writer, status *tidemarkv1.GetQueueStatusResponse) error {
	if c.Call.JSON {
		return printJSON(out, status)
	}

	if err := printQueueStatus(out, status, c.Tenant, time.Now()); err != nil || !c.Watch {
		return err
	}

	return printLine(out, "")
}
