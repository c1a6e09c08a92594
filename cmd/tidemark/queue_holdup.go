package main

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// holdUpAge is for how long an answer of the server about what holds its queue up is good. That changes while many items
// are retried.
const holdUpAge = time.Second

// holdUp knows what keeps the items that are due from being evaluated.
type holdUp struct {
	client tidemarkv1.QueueServiceClient
	logger *slog.Logger
	asked  time.Time
	text   string
	// unknown means that the server does not tell; it is not asked again.
	unknown bool
}

// now says what items that are due wait for at this moment; nothing when they do not, or when that cannot be found out,
// which keeps nobody from retrying the others.
func (h *holdUp) now(ctx context.Context) string {
	if h.unknown || !h.asked.IsZero() && time.Since(h.asked) < holdUpAge {
		return h.text
	}

	status, err := h.client.GetQueueStatus(ctx, &tidemarkv1.GetQueueStatusRequest{})
	h.asked, h.text, h.unknown = time.Now(), holdUpText(status, time.Now()), err != nil

	if h.unknown && ctx.Err() == nil {
		h.logger.WarnContext(ctx, "the server does not say what holds its queue up", "error", err)
	}

	return h.text
}

// holdUpText says what holds a queue up: "evaluating is paused by ana since 12:03 (2m): upgrade".
func holdUpText(status *tidemarkv1.GetQueueStatusResponse, now time.Time) string {
	var texts []string

	for _, pause := range status.GetPauses() {
		if pause.GetScope() == tidemarkv1.PauseScope_PAUSE_SCOPE_EVALUATING {
			texts = append(texts, fmt.Sprintf("evaluating is paused by %s since %s: %s", oneLine(pause.GetAuthor()),
				since(pause.GetPauseTime(), now), oneLine(pause.GetReason())))
		}
	}

	for _, dependency := range status.GetDependencies() {
		switch {
		case dependency.GetUnavailable():
			texts = append(texts, fmt.Sprintf("%s is missing since %s", dependency.GetName(),
				since(dependency.GetSinceTime(), now)))
		case dependency.GetState() == tidemarkv1.DependencyState_DEPENDENCY_STATE_RECOVERING:
			texts = append(texts, dependency.GetName()+" is back, and what has waited is evaluated little by little")
		}
	}

	return strings.Join(texts, "; ")
}
