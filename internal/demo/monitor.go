package demo

import (
	"context"
	"sync"
	"time"

	"github.com/tidemark-project/tidemark/clients/agent"
	"github.com/tidemark-project/tidemark/clients/tidemark"
	"github.com/tidemark-project/tidemark/internal/demo/screen"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

const (
	// statusInterval is the time between two status lines.
	statusInterval = 5 * time.Second
	// firstChanges is how many changes are shown at the start, laterChanges how many between two status lines.
	firstChanges, laterChanges = 12, 3
)

// monitor shows what goes on: changes as the agent prints them, and a status line every few seconds.
type monitor struct {
	screen   *screen.Screen
	client   *tidemark.Client
	platform *platform
	services int

	mu        sync.Mutex // guards all below
	met       bool       // the server has answered before
	mute      bool       // single changes and the status would tear the story apart
	room      int        // how many changes may yet be shown
	hidden    int
	ups       int
	downs     int
	usage     outage // ClickHouse, as the scraper sees it
	server    outage
	downsThen int // downs when ClickHouse went away
	failed    int // failing services at the last status line
}

// outage is since when something is away, and why.
type outage struct {
	since time.Time // zero while it is there
	err   error
}

func newMonitor(d *demonstration) *monitor {
	return &monitor{
		screen: d.screen, client: d.client, platform: d.platform, services: d.fleet.Len(), room: firstChanges,
	}
}

// run prints the status until ctx ends.
func (m *monitor) run(ctx context.Context) {
	ticker := time.NewTicker(statusInterval)
	defer ticker.Stop()

	for {
		select {
		case <-ticker.C:
			m.status(ctx)
		case <-ctx.Done():
			return
		}
	}
}

// hear counts a change and shows it if there is room.
func (m *monitor) hear(c change) {
	m.mu.Lock()
	defer m.mu.Unlock()

	style, mark := screen.Up, "▲"

	if c.GetDirection() == tidemarkv1.Direction_DIRECTION_DOWN {
		style, mark = screen.Down, "▼"
		m.downs++
	} else {
		m.ups++
	}

	if m.mute || m.room == 0 {
		m.hidden++

		return
	}

	m.room--
	m.screen.Linef(style, "  %s %s", mark, agent.Line(c.Recommendation))
}

// silence holds single changes and the status back, or lets them through again.
func (m *monitor) silence(mute bool) {
	m.mu.Lock()
	defer m.mu.Unlock()

	m.mute = mute
}

// inserted notes how the scraper fares, and shows when ClickHouse goes away or comes back.
func (m *monitor) inserted(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()

	switch {
	case err != nil && m.usage.since.IsZero():
		m.usage, m.downsThen = outage{since: time.Now(), err: err}, m.downs
		m.screen.Linef(screen.Alarm, "ClickHouse is down: %v", err)
		m.screen.Linef(screen.Alarm, "  evaluations fail and back off; every service keeps its size meanwhile")
	case err == nil && !m.usage.since.IsZero():
		m.screen.Linef(screen.Good, "ClickHouse is back after %.0f s; services scaled down meanwhile: %d",
			time.Since(m.usage.since).Seconds(), m.downs-m.downsThen)
		m.usage = outage{}
	}
}
