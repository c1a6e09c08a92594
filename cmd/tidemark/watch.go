package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"

	"github.com/tidemark-project/tidemark/clients/agent"
	"github.com/tidemark-project/tidemark/clients/tidemark"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// watchCmd follows recommendations.
type watchCmd struct {
	ChangesOnly bool `help:"Leave out what there is already."`
	Full        bool `help:"With --json, also the explanation and the triggers."`
	Heartbeats  bool `help:"With --json, also the heartbeats, and the renewals of what has not changed."`
	JSON        bool `name:"json" help:"Print the API's events as JSON, one object per line."`

	Filter filterFlags `embed:"" group:"Filter"`
	Server serverFlags `embed:"" group:"Server"`
}

// Run prints events until ctx ends.
func (c *watchCmd) Run(ctx context.Context, out io.Writer, logger *slog.Logger) error {
	filter, err := c.Filter.filter()
	if err != nil {
		return err
	}

	client, err := c.Server.dial()
	if err != nil {
		return err
	}
	defer client.Close() //nolint:errcheck // the process ends

	options := tidemark.WatchOptions{Filter: filter, View: view(c.Full && c.JSON), ChangesOnly: c.ChangesOnly}

	for event, err := range client.Watch(ctx, options) {
		if err != nil {
			return c.Server.explain(err)
		}

		if event.Kind == tidemark.Disconnected {
			logger.WarnContext(ctx, "server unavailable, watching again when it is back", "error", c.Server.explain(event.Err))

			continue
		}

		if err := c.print(out, event); err != nil {
			return err
		}
	}

	return nil
}

func (c *watchCmd) print(out io.Writer, event tidemark.Event) error {
	if c.JSON {
		idle := event.Kind == tidemark.Alive || event.Kind == tidemark.Renewed
		if message := message(event); message != nil && (c.Heartbeats || !idle) {
			return printJSON(out, message)
		}

		return nil
	}

	switch event.Kind {
	case tidemark.Changed:
		return printLine(out, agent.Line(event.Recommendation))
	case tidemark.Removed:
		return printLine(out, fmt.Sprintf("%s  removed  rev %d", event.Removed.GetService(), event.Removed.GetRevision()))
	case tidemark.CaughtUp:
		return printLine(out, fmt.Sprintf("-- up to date, revision %d --", event.EndOfSnapshot.GetRevision()))
	case tidemark.SnapshotStarted:
		if event.Expired {
			return printLine(out, "-- changes were missed, taking a new snapshot --")
		}

		return nil
	case tidemark.Alive, tidemark.Renewed, tidemark.Disconnected:
		return nil
	default:
		return nil
	}
}

// message is the event as the API has it; nil when it is one of the client's own.
func message(event tidemark.Event) *tidemarkv1.WatchRecommendationsResponse {
	m := &tidemarkv1.WatchRecommendationsResponse{ResumeToken: event.ResumeToken}

	switch event.Kind {
	case tidemark.Changed:
		m.Event = &tidemarkv1.WatchRecommendationsResponse_Recommendation{Recommendation: event.Recommendation}
	case tidemark.Renewed:
		m.Event = &tidemarkv1.WatchRecommendationsResponse_Recommendation{Recommendation: event.Recommendation}
		m.Renewed = true
	case tidemark.Removed:
		m.Event = &tidemarkv1.WatchRecommendationsResponse_Removed{Removed: event.Removed}
	case tidemark.CaughtUp:
		m.Event = &tidemarkv1.WatchRecommendationsResponse_EndOfSnapshot{EndOfSnapshot: event.EndOfSnapshot}
	case tidemark.Alive:
		m.Event = &tidemarkv1.WatchRecommendationsResponse_Heartbeat{Heartbeat: event.Heartbeat}
	case tidemark.SnapshotStarted, tidemark.Disconnected:
		return nil
	default:
		return nil
	}

	return m
}
