package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/tidemark-project/tidemark/clients/agent"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// prints reports that recommendations are shown and not acted on.
func (c *agentCmd) prints() bool {
	return c.Webhook.URL == "" && len(c.Command) == 0 && !c.Kubernetes.Enabled
}

// config is what the flags say.
func (c *agentCmd) config(out io.Writer) (agent.Config, error) {
	filter, err := c.Filter.filter()
	if err != nil {
		return agent.Config{}, err
	}

	config := agent.Config{Filter: filter, View: view(c.Full), Workers: c.Workers, StopFile: c.Safety.StopFile}

	switch {
	case !c.prints():
		err = c.actOn(&config, out)
	case c.Kubernetes.DryRun:
		err = errKubernetesUnused
	default:
		c.print(&config, out)
	}

	if err != nil {
		return agent.Config{}, err
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

// print makes an agent show recommendations: all of them, as nothing is changed by that.
func (c *agentCmd) print(config *agent.Config, out io.Writer) {
	config.Actuator = agent.NewPrint(out, c.JSON)
	config.Workers = 1 // lines come in the order of the changes
	config.ObserveOnly, config.Settled = true, true
	config.MaxChangesPerMinute, config.MaxDataAge = -1, -1
}

// actOn makes an agent act on recommendations, within the bounds of safety.
func (c *agentCmd) actOn(config *agent.Config, out io.Writer) (err error) {
	config.Snapshot = agent.SnapshotOutstanding

	if err := c.Safety.apply(config); err != nil {
		return err
	}

	switch {
	case c.JSON:
		return errors.New("--json is for printing, and the agent is to act by a webhook, a program or Kubernetes: leave it out")
	case c.Kubernetes.Enabled && (c.Webhook.URL != "" || len(c.Command) > 0):
		return errors.New("--kubernetes excludes --webhook and a program to run: start two agents")
	case c.Kubernetes.DryRun && !c.Kubernetes.Enabled:
		return errKubernetesUnused
	case c.Webhook.URL == "" && len(c.Webhook.SecretFiles) > 0:
		return errors.New("--webhook-secret-file needs --webhook: it says what posts are signed with")
	case c.Kubernetes.Enabled:
		config.Actuator, err = c.Kubernetes.actuator(out)
	case len(c.Command) == 0:
		config.Actuator, err = c.Webhook.actuator()
	case c.Webhook.URL == "":
		config.Actuator, err = agent.NewExec(agent.ExecConfig{
			Command: c.Command, Timeout: c.Exec.Timeout, Grace: c.Exec.Grace,
		})
	default:
		return errors.New("--webhook and a program to run exclude each other: start two agents")
	}

	return err
}

// apply puts the flags into the configuration, where 0 stands for the default and not for "any".
func (f *safetyFlags) apply(config *agent.Config) error {
	if f.MaxChanges < 0 {
		return fmt.Errorf("--max-changes-per-minute: %d is negative; 0 allows any number", f.MaxChanges)
	}

	if f.MaxDataAge < 0 {
		return fmt.Errorf("--max-data-age: %s is negative; 0 allows any age", f.MaxDataAge)
	}

	config.MaxChangesPerMinute, config.MaxDataAge = f.MaxChanges, f.MaxDataAge

	if f.MaxChanges == 0 {
		config.MaxChangesPerMinute = -1
	}

	if f.MaxDataAge == 0 {
		config.MaxDataAge = -1
	}

	if f.Disruption != "" {
		value, err := enumValue("disruption", tidemarkv1.DisruptionClass_value, "DISRUPTION_CLASS_", f.Disruption)
		if err != nil {
			return err
		}

		config.Disruption = tidemarkv1.DisruptionClass(value)
	}

	return nil
}

func (f *webhookFlags) actuator() (*agent.Webhook, error) {
	config := agent.WebhookConfig{URL: f.URL, Header: make(http.Header), Timeout: f.Timeout}

	for _, line := range f.Header {
		name, value, found := strings.Cut(line, ":")
		if !found {
			return nil, fmt.Errorf("--webhook-header: %q is not of the form \"name: value\"", line)
		}

		config.Header.Add(strings.TrimSpace(name), strings.TrimSpace(value))
	}

	if len(f.SecretFiles) > 0 {
		config.Secrets = agent.SecretFiles(f.SecretFiles...)
	}

	return agent.NewWebhook(config)
}
