package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/tidemark-project/tidemark/clients/agent"
)

// agentCmd follows recommendations and does something about them.
type agentCmd struct {
	JSON bool `name:"json" help:"Print JSON, one recommendation per line."`

	Webhook        string        `env:"TIDEMARK_WEBHOOK" placeholder:"URL" help:"Post each recommendation there as JSON instead of printing it."`
	WebhookHeader  []string      `env:"TIDEMARK_WEBHOOK_HEADER" sep:"none" placeholder:"NAME: VALUE" help:"Header to add to each post, such as an Authorization."`
	WebhookTimeout time.Duration `default:"10s" help:"How long one post may take."`

	Snapshot    string `enum:",none,outstanding,all" default:"" help:"What of that which there is at the start is acted on: none, outstanding (where the size differs) or all. Default: none when printing, outstanding when posting."`
	ObserveOnly string `enum:",yes,no" default:"" placeholder:"YES|NO" help:"Whether recommendations of policies that only observe are passed on. Default: yes when printing, no when posting."`
	Full        bool   `help:"Also the explanation and the triggers."`
	Workers     int    `default:"16" help:"How many services are acted on at once."`

	Filter filterFlags `embed:"" group:"Filter"`
	Server serverFlags `embed:"" group:"Server"`
}

// Run follows until ctx ends.
func (c *agentCmd) Run(ctx context.Context, out io.Writer, logger *slog.Logger) error {
	config, err := c.config(out)
	if err != nil {
		return err
	}

	client, err := c.Server.dial()
	if err != nil {
		return err
	}
	defer client.Close() //nolint:errcheck // the process ends

	config.Watcher = client

	if hook, ok := config.Actuator.(*agent.Webhook); ok {
		defer hook.Close()
	}

	return c.Server.explain(agent.New(config, logger).Run(ctx))
}

// config is what the flags say.
func (c *agentCmd) config(out io.Writer) (agent.Config, error) {
	filter, err := c.Filter.filter()
	if err != nil {
		return agent.Config{}, err
	}

	config := agent.Config{Filter: filter, View: view(c.Full), Workers: c.Workers}

	if c.Webhook == "" {
		config.Actuator = agent.NewPrint(out, c.JSON)
		config.Workers = 1 // lines come in the order of the changes
		config.ObserveOnly = true
	} else {
		config.Snapshot = agent.SnapshotOutstanding

		if config.Actuator, err = c.webhook(); err != nil {
			return agent.Config{}, err
		}
	}

	switch c.Snapshot {
	case "none":
		config.Snapshot = agent.SnapshotNone
	case "outstanding":
		config.Snapshot = agent.SnapshotOutstanding
	case "all":
		config.Snapshot = agent.SnapshotAll
	}

	if c.ObserveOnly != "" {
		config.ObserveOnly = c.ObserveOnly == "yes"
	}

	return config, nil
}

func (c *agentCmd) webhook() (*agent.Webhook, error) {
	header := make(http.Header)

	for _, line := range c.WebhookHeader {
		name, value, found := strings.Cut(line, ":")
		if !found {
			return nil, fmt.Errorf("--webhook-header: %q is not of the form \"name: value\"", line)
		}

		header.Add(strings.TrimSpace(name), strings.TrimSpace(value))
	}

	return agent.NewWebhook(agent.WebhookConfig{URL: c.Webhook, Header: header, Timeout: c.WebhookTimeout})
}
