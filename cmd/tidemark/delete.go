package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"github.com/tidemark-project/tidemark/clients/tidemark"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// deleteCmd makes the server forget services.
type deleteCmd struct {
	Service []string `arg:"" placeholder:"TENANT/NAME" help:"The services, such as prod/orders-db."`

	Server serverFlags `embed:"" group:"Server"`
	Call   callFlags   `embed:""`
}

// Help implements kong.HelpProvider.
func (c *deleteCmd) Help() string {
	return `What the server knows of each service goes: its work, its recommendation and what its evaluations remember. Whoever
watches is told. The service itself is not touched, and the next trigger makes the server know it again: take one that has
gone out of the inventory first.`
}

// Run deletes the services. One that is not known does not keep it from the others; all else does.
func (c *deleteCmd) Run(ctx context.Context, out io.Writer, _ *slog.Logger) error {
	client, err := c.Server.dial()
	if err != nil {
		return err
	}
	defer client.Close() //nolint:errcheck // the process ends

	var missing []error

	for _, service := range c.Service {
		err := c.one(ctx, client, out, service)

		switch {
		case tidemark.HasReason(err, tidemarkv1.ErrorReason_ERROR_REASON_SERVICE_NOT_FOUND):
			missing = append(missing, c.Server.explain(err))
		case err != nil:
			return errors.Join(append(missing, c.Server.explain(err))...)
		}
	}

	return errors.Join(missing...)
}

func (c *deleteCmd) one(ctx context.Context, client *tidemark.Client, out io.Writer, service string) error {
	ctx, cancel := context.WithTimeout(ctx, c.Call.Timeout)
	defer cancel()

	revision, err := client.DeleteService(ctx, service)
	if err != nil {
		return err
	}

	if c.Call.JSON {
		return printJSON(out, &tidemarkv1.RecommendationRemoved{Service: service, Revision: revision})
	}

	return printLine(out, fmt.Sprintf("%s  deleted, revision %d", service, revision))
}
