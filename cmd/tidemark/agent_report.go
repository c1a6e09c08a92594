package main

import (
	"context"
	"fmt"
	"os"
	"unicode/utf8"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/tidemark-project/tidemark/clients/agent"
	"github.com/tidemark-project/tidemark/clients/tidemark"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// maxAgentName is how many characters the API takes of an agent's name.
const maxAgentName = 253

// scalingReporter tells the server what an agent did with recommendations.
type scalingReporter struct {
	client *tidemark.Client
	name   string // the agent's
}

// ReportScaling implements agent.Reporter. What the server will never take is not brought to it again, nor is
// anything to one that takes no reports, or none from this agent.
func (r *scalingReporter) ReportScaling(ctx context.Context, report agent.Report) error {
	_, err := r.client.ReportScaling(ctx, &tidemarkv1.ReportScalingRequest{
		Service: report.Service, Revision: report.Revision, Outcome: report.Outcome, Allocation: report.Allocation,
		Message: report.Message, Agent: r.name,
	})

	switch status.Code(err) {
	case codes.InvalidArgument, codes.NotFound, codes.FailedPrecondition:
		return agent.Permanent(err)
	case codes.PermissionDenied, codes.Unimplemented:
		return agent.RefusesReports(err)
	default: // it may be mended
		return err
	}
}

// reporter returns what reports to the server, under the agent's name: that of the host when no other is given.
func (c *agentCmd) reporter(client *tidemark.Client) (*scalingReporter, error) {
	name := c.Name
	if name == "" {
		host, err := os.Hostname()
		if err != nil {
			return nil, fmt.Errorf("--name: give the agent a name, since the host's cannot be found out: %w", err)
		}

		name = host
	}

	if length := utf8.RuneCountInString(name); length > maxAgentName || !utf8.ValidString(name) {
		return nil, fmt.Errorf("--name: %q has %d characters; it must be UTF-8 of %d at most", name, length, maxAgentName)
	}

	return &scalingReporter{client: client, name: name}, nil
}
