package demo

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/tidemark-project/tidemark/internal/demo/screen"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// surveyTimeout is how long asking the server for everything may take.
const surveyTimeout = 4 * time.Second

// status prints one line about everything, and more when something is wrong.
func (m *monitor) status(ctx context.Context) {
	asking, cancel := context.WithTimeout(ctx, surveyTimeout)
	defer cancel()

	seen, err := survey(asking, m.client)
	if ctx.Err() != nil {
		return
	}

	m.mu.Lock()
	defer m.mu.Unlock()

	if !m.noteServer(err) || m.mute {
		return
	}

	m.showHidden()
	m.room = laterChanges

	m.screen.Linef(screen.Status, "── %s", m.summary(&seen))
	m.showFailing(seen.failing)
}

// showHidden says how many changes there was no room for.
func (m *monitor) showHidden() {
	if m.hidden > 0 {
		m.screen.Linef(screen.Detail, "  … and %d more changes", m.hidden)
		m.hidden = 0
	}
}

// noteServer shows when the server goes away or comes back, and reports that it is there.
func (m *monitor) noteServer(err error) bool {
	switch {
	case err != nil && !m.met:
		// It is yet to start.
	case err != nil && m.server.since.IsZero():
		m.server = outage{since: time.Now(), err: err}
		m.screen.Linef(screen.Alarm, "the server is down: %v", err)
		m.screen.Linef(screen.Alarm, "  the sources hold what they have, the agent waits; both connect again by themselves")
	case err == nil && !m.server.since.IsZero():
		m.screen.Linef(screen.Good, "the server is back after %.0f s; what it held in memory is gone, the next sweep makes it anew",
			time.Since(m.server.since).Seconds())
		m.server, m.failed = outage{}, 0
	}

	m.met = m.met || err == nil

	return err == nil
}

// summary is the status in numbers.
func (m *monitor) summary(seen *picture) string {
	parts := []string{
		fmt.Sprintf("%d services", m.services),
		fmt.Sprintf("%d evaluated", seen.evaluated),
	}

	if !seen.oldest.IsZero() {
		parts = append(parts, fmt.Sprintf("the oldest %.0f s ago", time.Since(seen.oldest).Seconds()))
	}

	parts = append(parts,
		fmt.Sprintf("▲ %d ▼ %d", m.ups, m.downs),
		fmt.Sprintf("%d resized", m.platform.resized()),
		fmt.Sprintf("%d failing", len(seen.failing)))

	if m.usage.since.IsZero() {
		return strings.Join(append(parts, "ClickHouse up"), " · ")
	}

	return strings.Join(append(parts, fmt.Sprintf("ClickHouse down for %.0f s", time.Since(m.usage.since).Seconds())), " · ")
}

// showFailing says why services back off and when they are tried again, and when all is well again.
func (m *monitor) showFailing(failing []*tidemarkv1.Recommendation) {
	if len(failing) == 0 {
		if m.failed > 0 {
			m.screen.Linef(screen.Good, "   all services that had failed are evaluated again")
		}

		m.failed = 0

		return
	}

	m.failed = len(failing)

	var (
		next     time.Time
		attempts int32
		givenUp  int
		latest   = failing[0].GetFailure()
	)

	for _, r := range failing {
		f := r.GetFailure()
		attempts = max(attempts, f.GetAttempts())

		if f.GetFailureTime().AsTime().After(latest.GetFailureTime().AsTime()) {
			latest = f
		}

		switch at := f.GetRetryTime(); {
		case at == nil:
			givenUp++
		case next.IsZero() || at.AsTime().Before(next):
			next = at.AsTime()
		}
	}

	m.screen.Linef(screen.Notice, "   %d services back off, each keeps its size; up to %d attempts%s: %s",
		len(failing), attempts, upcoming(next, givenUp), latest.GetMessage())
}

// upcoming says what happens next to services that fail.
func upcoming(next time.Time, givenUp int) string {
	text := ""

	if !next.IsZero() {
		text = fmt.Sprintf(", the next in %.1f s", max(0, time.Until(next).Seconds()))
	}

	if givenUp > 0 {
		text += fmt.Sprintf(", %d wait for the next sweep", givenUp)
	}

	return text
}
