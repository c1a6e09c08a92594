package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/tidemark-project/tidemark/clients/tidemark"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// explainCmd tells how a recommendation came about, so that a person can follow it and recompute it.
type explainCmd struct {
	Service string `arg:"" placeholder:"TENANT/NAME" help:"The service, such as prod/orders-db."`

	Server serverFlags `embed:"" group:"Server"`
	Call   callFlags   `embed:""`
}

// Run prints the account.
func (c *explainCmd) Run(ctx context.Context, out io.Writer, _ *slog.Logger) error {
	client, err := c.Server.dial()
	if err != nil {
		return err
	}
	defer client.Close() //nolint:errcheck // the process ends

	ctx, cancel := context.WithTimeout(ctx, c.Call.Timeout)
	defer cancel()

	recommendation, err := client.Get(ctx, &tidemarkv1.GetRecommendationRequest{
		Service: c.Service, View: tidemarkv1.View_VIEW_FULL,
	})
	if err != nil {
		return c.Server.explain(err)
	}

	if c.Call.JSON {
		return printJSON(out, recommendation)
	}

	return printLine(out, strings.Join(account(recommendation, time.Now()), "\n"))
}

// account is the whole story of a recommendation, line by line.
func account(r *tidemarkv1.Recommendation, now time.Time) []string {
	lines := []string{headline(r), ""}

	section := func(title string, of []string) {
		if len(of) == 0 {
			return
		}

		lines = append(lines, title)
		for _, line := range of {
			lines = append(lines, "  "+line)
		}

		lines = append(lines, "")
	}

	e := r.GetExplanation()

	section("Why", because(r))
	if e != nil {
		section("What was seen", seen(r, now))
		section(fmt.Sprintf("What it needs, by the %s recommender", e.GetRecommender()), need(e))
		section("From the need to the answer", path(r))
		section("The constants", constants(e))
	}

	section("When", when(r, now))

	return lines[:len(lines)-1]
}

// headline says what should be done, such as "prod/orders-db should grow from 2 cores, 8Gi to 4 cores, 12Gi".
func headline(r *tidemarkv1.Recommendation) string {
	from, to := tidemark.FormatSize(r.GetAllocation()), tidemark.FormatSize(r.GetRecommended())

	switch {
	case r.GetStatus() == tidemarkv1.Status_STATUS_FAILED:
		return fmt.Sprintf("%s could not be evaluated: %s.", r.GetService(), r.GetFailure().GetMessage())
	case r.GetAllocation() == nil:
		return r.GetService() + " has no known size, so nothing is recommended."
	case r.GetDirection() == tidemarkv1.Direction_DIRECTION_UP:
		return fmt.Sprintf("%s should grow from %s to %s.", r.GetService(), from, to)
	case r.GetDirection() == tidemarkv1.Direction_DIRECTION_DOWN:
		return fmt.Sprintf("%s should shrink from %s to %s.", r.GetService(), from, to)
	default:
		return fmt.Sprintf("%s should stay at %s.", r.GetService(), from)
	}
}

// because says every reason as a sentence, and what may be done with the answer.
func because(r *tidemarkv1.Recommendation) []string {
	var lines []string

	for _, reason := range r.GetReasons() {
		lines = append(lines, reasonText(reason))
	}

	if r.GetObserved() != nil && tidemark.FormatSize(r.GetObserved()) != tidemark.FormatSize(r.GetRecommended()) {
		lines = append(lines, fmt.Sprintf("If what is only observed were enforced, it would be %s.", tidemark.FormatSize(r.GetObserved())))
	}

	if r.GetStatus() == tidemarkv1.Status_STATUS_LIMITED {
		lines = append(lines, fmt.Sprintf("It needs %s; the policy does not allow that.", tidemark.FormatSize(r.GetUncapped())))
	}

	return lines
}

// when says how old everything is.
func when(r *tidemarkv1.Recommendation, now time.Time) []string {
	lines := []string{
		fmt.Sprintf("Evaluated %s, revision %d; %s.", ago(r.GetEvaluateTime(), now), r.GetRevision(), validity(r, now)),
	}

	if text := failureText(r.GetFailure(), now); text != "" {
		lines = append(lines, "The latest evaluation failed: "+text+". What stands here is the answer before.")
	}

	for _, trigger := range r.GetTriggers() {
		lines = append(lines, "Asked for: "+triggerText(trigger, now)+".")
	}

	return append(lines, fmt.Sprintf("Policy %s, version %s; mode %s; a change may be: %s.",
		orDash(r.GetPolicy().GetName()), orDash(r.GetPolicy().GetHash()), tidemark.FormatEnum(r.GetMode()),
		tidemark.FormatEnum(r.GetDisruption())))
}

func validity(r *tidemarkv1.Recommendation, now time.Time) string {
	switch {
	case r.GetExpireTime() == nil:
		return "it does not expire"
	case r.GetExpireTime().AsTime().After(now):
		return "it expires " + ago(r.GetExpireTime(), now)
	default:
		return "it expired " + ago(r.GetExpireTime(), now) + " and is not to be acted on"
	}
}
