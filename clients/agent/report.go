package agent

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// maxMessage bounds the message of a report, in bytes, as the API does.
const maxMessage = 1024

// Reporter takes reports of what was done with recommendations, usually to the server.
type Reporter interface {
	// ReportScaling delivers one report. It is called by one goroutine at a time, and again after an error, unless that
	// is Permanent or RefusesReports.
	ReportScaling(ctx context.Context, report Report) error
}

// RefusesReports marks an error of a Reporter that any report would meet now: the agent may not report, or there is
// nobody who takes reports. The report is given up, and the next is tried once. The log tells of it once, until a report
// is taken again.
func RefusesReports(err error) error { return &refusesReportsError{err} }

type refusesReportsError struct{ error }

func (e *refusesReportsError) Unwrap() error { return e.error }

func refusesReports(err error) bool {
	_, marked := errors.AsType[*refusesReportsError](err)

	return marked
}

// Report is what became of one recommendation.
type Report struct {
	// Service is the service's key, "tenant/name".
	Service string
	// Revision is that of the recommendation.
	Revision int64
	// Outcome is APPLIED; REFUSED, when it will not be applied; FAILED, when it will be tried again; or DEFERRED, when the
	// agent keeps it back for the time being: it is paused, makes too many changes, or waits for newer data; or its actuator
	// does.
	Outcome tidemarkv1.ScalingOutcome
	// Allocation is the size the service has now; nil when the actuator does not know.
	Allocation *tidemarkv1.Size
	// Message says why, for a person; empty when it was applied. It has 1,024 bytes at most.
	Message string
}

// report tells the reporter, if there is one, what became of a recommendation. It does not wait. What was only shown,
// because it is not to be acted on, is not reported: nothing was done with it.
func (a *Agent) report(
	recommendation *tidemarkv1.Recommendation, outcome tidemarkv1.ScalingOutcome, size *tidemarkv1.Size, message string,
) {
	if a.reports == nil || !Actionable(recommendation) {
		return
	}

	a.reports.add(Report{
		Service: recommendation.GetService(), Revision: recommendation.GetRevision(),
		Outcome: outcome, Allocation: size, Message: bounded(message),
	})
}

// defers reports that a recommendation is held, for a reason that has not been told yet.
func (a *Agent) defers(
	ctx context.Context, logger *slog.Logger, recommendation *tidemarkv1.Recommendation, why hold, message string,
) {
	if why == notHeld {
		return
	}

	logger.DebugContext(ctx, "not acting on a recommendation yet", "reason", message)
	a.report(recommendation, tidemarkv1.ScalingOutcome_SCALING_OUTCOME_DEFERRED, nil, message)
}

// whyHeld says what a service is held for that a newer value has come for.
func (a *Agent) whyHeld(ctx context.Context, why hold) string {
	if why == heldLimited {
		return a.tooMany()
	}

	if message := a.gate.closed(ctx); message != "" {
		return message
	}

	return "the agent was stopped until now"
}

func (a *Agent) tooMany() string {
	return fmt.Sprintf("the agent makes %d changes a minute at most", a.config.MaxChangesPerMinute)
}

// bounded returns as much of the message as a report may hold, as valid UTF-8.
func bounded(message string) string {
	message = strings.ToValidUTF8(message, "\uFFFD")
	if len(message) > maxMessage {
		message = strings.ToValidUTF8(message[:maxMessage], "")
	}

	return message
}
