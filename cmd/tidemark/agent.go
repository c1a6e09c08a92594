package main

import (
	"context"
	"io"
	"log/slog"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tidemark-project/tidemark/clients/agent"
)

// agentCmd follows recommendations and does something about them.
type agentCmd struct {
	Command []string `arg:"" optional:"" name:"command" help:"After --: a program to run for each recommendation, and its arguments."`

	JSON bool   `name:"json" help:"Print JSON, one recommendation per line."`
	Name string `env:"TIDEMARK_AGENT_NAME" placeholder:"NAME" help:"What this agent is called in its reports; the name of the host when not given."`

	Snapshot    string `enum:",none,outstanding,all" default:"" help:"What of that which there is at the start is acted on: none, outstanding (where the size differs) or all, of which an agent that acts leaves alone what has its size. Default: none when printing, outstanding otherwise."`
	ObserveOnly string `enum:",yes,no" default:"" placeholder:"YES|NO" help:"Whether recommendations of policies that only observe are passed on. Default: yes when printing, no otherwise."`
	Full        bool   `help:"Also the explanation and the triggers."`
	Workers     int    `default:"16" help:"How many services are acted on at once."`

	Webhook    webhookFlags    `embed:"" group:"Post"`
	Exec       execFlags       `embed:"" prefix:"exec-" group:"Run a program"`
	Kubernetes kubernetesFlags `embed:"" group:"Kubernetes"`
	Safety     safetyFlags     `embed:"" group:"Safety"`
	Filter     filterFlags     `embed:"" group:"Filter"`
	Server     serverFlags     `embed:"" group:"Server"`
}

// webhookFlags say where recommendations are posted.
type webhookFlags struct {
	URL         string        `name:"webhook" env:"TIDEMARK_WEBHOOK" placeholder:"URL" help:"Post each recommendation there as JSON."`
	Header      []string      `name:"webhook-header" env:"TIDEMARK_WEBHOOK_HEADER" sep:"none" placeholder:"NAME: VALUE" help:"Header to add to each post, such as an Authorization."`
	Timeout     time.Duration `name:"webhook-timeout" default:"10s" help:"How long one post may take."`
	SecretFiles []string      `name:"webhook-secret-file" type:"path" env:"TIDEMARK_WEBHOOK_SECRET_FILE" placeholder:"FILE" help:"Sign each post with the secret in this file (HMAC-SHA256, header Tidemark-Signature). Several files: with each, while one secret replaces another. Read again for every post."`
}

// execFlags bound the run of a program.
type execFlags struct {
	Timeout time.Duration `default:"30s" env:"TIDEMARK_EXEC_TIMEOUT" help:"How long one run may take; after that the program and its children get SIGTERM."`
	Grace   time.Duration `default:"5s" env:"TIDEMARK_EXEC_GRACE" help:"How long after SIGTERM they get SIGKILL."`
}

// safetyFlags keep an agent from doing harm.
type safetyFlags struct {
	MaxChanges int           `name:"max-changes-per-minute" default:"60" env:"TIDEMARK_MAX_CHANGES_PER_MINUTE" help:"How many changes begin within any minute, over all services; what makes a service larger goes first. 0: any number."`
	MaxDataAge time.Duration `default:"1h" env:"TIDEMARK_MAX_DATA_AGE" help:"How old the usage data behind a recommendation may be. Without data nothing is made smaller. 0: any age, and none."`
	Disruption string        `enum:",none,rolling,restart" default:"" env:"TIDEMARK_AGENT_DISRUPTION" placeholder:"CLASS" help:"What a change of CPU or memory does to a service here: none (in place), rolling (one replica after the other) or restart. What a policy does not allow is refused. Default: the receiver obeys the field disruption."`
	StopFile   string        `type:"path" env:"TIDEMARK_STOP_FILE" placeholder:"PATH" help:"While there is anything at this path, nothing is acted on."`
}

// Help is shown after the flags.
func (*agentCmd) Help() string {
	return `The agent follows the server and hands over every change that matters: it prints it, posts it (--webhook), runs a
program (after --), or resizes the service's StatefulSet or Deployment (--kubernetes). For one service only one change is under way at a time, and the newest recommendation wins.

  tidemark agent
  tidemark agent --webhook https://scaler.example.net/scale --webhook-secret-file secret
  tidemark agent --max-changes-per-minute 10 --stop-file /run/tidemark-stop -- ./resize --fast
  tidemark agent --kubernetes --kubernetes-dry-run

A program finds the recommendation as JSON on its standard input, and TIDEMARK_SERVICE, TIDEMARK_REVISION, TIDEMARK_MODE,
TIDEMARK_DIRECTION and TIDEMARK_DISRUPTION in its environment. It ends with 0 when the size was changed, with 75 to be run
again later, with anything else to refuse for good; the end of its standard error says why.

A webhook answers 2xx when the recommendation was taken; after no answer, 408, 425, 429 or 5xx it is posted again later;
any other answer refuses for good.

With --kubernetes the service prod/orders-db is the StatefulSet or Deployment orders-db in the namespace prod. Its pods are
resized in place, one after the other; its template is changed, which restarts them, only where that is not possible and
the policy allows a restart. A workload with the annotation tidemark.dev/opt-out: "true" is left alone.

What became of each change is reported to the server, and shown by "tidemark get". What was refused comes again when
somebody enqueues the service by hand.

SIGHUP pauses an agent that acts, a second SIGHUP resumes it. While it is paused, or the stop file is
there, the newest recommendation of each service is kept and acted on afterwards. Of the safety flags an agent that
prints heeds the stop file only.`
}

// Run follows until ctx ends.
func (c *agentCmd) Run(ctx context.Context, out io.Writer, logger *slog.Logger) error {
	c.Kubernetes.logger = logger

	config, err := c.config(out)
	if err != nil {
		return err
	}

	client, err := c.Server.dial()
	if err != nil {
		return err
	}
	defer client.Close() //nolint:errcheck // the process ends

	config.Watcher, config.Reader = client, client

	if !c.prints() && !c.Kubernetes.DryRun {
		if config.Reporter, err = c.reporter(client); err != nil {
			return err
		}
	}

	if connected, ok := config.Actuator.(interface{ Close() }); ok {
		defer connected.Close()
	}

	following := agent.New(config, logger)
	if c.prints() {
		return c.Server.explain(following.Run(ctx))
	}

	return c.Server.explain(runPausable(ctx, following, logger))
}

// runPausable runs an agent that SIGHUP pauses and resumes.
func runPausable(ctx context.Context, following *agent.Agent, logger *slog.Logger) error {
	ctx, cancel := context.WithCancel(ctx)
	group, ctx := errgroup.WithContext(ctx)

	group.Go(func() error {
		defer cancel()

		return following.Run(ctx)
	})
	group.Go(func() error { return toggleOnHangup(ctx, following, logger) })

	return group.Wait() //nolint:wrapcheck // what a command ends with
}
