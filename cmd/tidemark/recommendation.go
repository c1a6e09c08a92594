package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark-project/tidemark/clients/agent"
	"github.com/tidemark-project/tidemark/clients/tidemark"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// printRecommendation prints all of a recommendation but its explanation.
func printRecommendation(out io.Writer, r *tidemarkv1.Recommendation, now time.Time) error {
	if err := printLine(out, r.GetService()); err != nil {
		return err
	}

	lines := newTable(out)
	line := func(name, text string) {
		if text != "" {
			lines.row("  "+name, text)
		}
	}

	line("now", tidemark.FormatSize(r.GetAllocation()))
	line("recommended", tidemark.FormatSize(r.GetRecommended())+direction(r.GetDirection()))
	line("needed", needed(r))
	line("mode", tidemark.FormatEnum(r.GetMode()))
	line("status", tidemark.FormatEnum(r.GetStatus())+freshness(r))
	line("reasons", strings.Join(agent.ReasonNames(r.GetReasons()), ", "))
	line("policy", strings.TrimSpace(r.GetPolicy().GetName()+" "+r.GetPolicy().GetHash()))
	line("revision", strconv.FormatInt(r.GetRevision(), 10))
	line("evaluated", ago(r.GetEvaluateTime(), now))
	line("newest data", ago(r.GetDataTime(), now))
	line("expires", expiry(r, now))
	line("failure", failureText(r.GetFailure(), now))
	line("scaling", report(r.GetScalingReport(), now))

	for i, trigger := range r.GetTriggers() {
		name := "triggers"
		if i > 0 {
			name = ""
		}

		lines.row("  "+name, triggerText(trigger, now))
	}

	return lines.flush()
}

func direction(d tidemarkv1.Direction) string {
	if d == tidemarkv1.Direction_DIRECTION_UNSPECIFIED {
		return ""
	}

	return " (" + agent.DirectionName(d) + ")"
}

// freshness is a note on what can no longer be relied on: ", stale"; empty for what can.
func freshness(r *tidemarkv1.Recommendation) string {
	switch r.GetFreshness() {
	case tidemarkv1.Freshness_FRESHNESS_STALE, tidemarkv1.Freshness_FRESHNESS_EXPIRED:
		return ", " + tidemark.FormatEnum(r.GetFreshness())
	case tidemarkv1.Freshness_FRESHNESS_UNSPECIFIED, tidemarkv1.Freshness_FRESHNESS_FRESH:
		return ""
	default:
		return ""
	}
}

// needed is the need before the policy, where that differs.
func needed(r *tidemarkv1.Recommendation) string {
	need := tidemark.FormatSize(r.GetUncapped())
	if r.GetUncapped() == nil || need == tidemark.FormatSize(r.GetRecommended()) {
		return ""
	}

	return need + ", before the policy"
}

func expiry(r *tidemarkv1.Recommendation, now time.Time) string {
	switch {
	case r.GetExpireTime() == nil:
		return ""
	case r.GetExpireTime().AsTime().After(now):
		return ago(r.GetExpireTime(), now)
	default:
		return ago(r.GetExpireTime(), now) + ": not to be acted on any more"
	}
}

func failureText(f *tidemarkv1.Failure, now time.Time) string {
	if f == nil {
		return ""
	}

	next := "given up until it is enqueued again"
	if f.GetRetryTime() != nil {
		next = "next try " + ago(f.GetRetryTime(), now)
	}

	return fmt.Sprintf("%s (attempt %d, %s; %s)", f.GetMessage(), f.GetAttempts(), ago(f.GetFailureTime(), now), next)
}

func report(r *tidemarkv1.ScalingReport, now time.Time) string {
	if r == nil {
		return ""
	}

	text := fmt.Sprintf("revision %d %s by %s, %s",
		r.GetRevision(), tidemark.FormatEnum(r.GetOutcome()), orDash(r.GetAgent()), ago(r.GetReportTime(), now))
	if r.GetMessage() != "" {
		text += ": " + r.GetMessage()
	}

	return text
}

func triggerText(t *tidemarkv1.TriggerRecord, now time.Time) string {
	text := tidemark.FormatEnum(t.GetTrigger())
	if t.GetSource() != "" {
		text += " by " + t.GetSource()
	}

	text += ", " + ago(t.GetObservedTime(), now)

	if t.GetCount() > 1 {
		text += fmt.Sprintf(", %d times", t.GetCount())
	}

	if t.GetDetail() != "" {
		text += ": " + t.GetDetail()
	}

	return text
}
