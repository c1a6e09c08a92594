package demo

import (
	"fmt"
	"sync"

	"github.com/tidemark-project/tidemark/internal/demo/process"
	"github.com/tidemark-project/tidemark/internal/demo/screen"
)

// maxDeaths is how often a process may die before it is up; more is no accident.
const maxDeaths = 2

// processes are the children of the demonstration, and what is known of them.
type processes struct {
	config     *Config
	screen     *screen.Screen
	supervisor *process.Supervisor

	mu     sync.Mutex // guards all below
	pids   map[string]int
	deaths map[string]int
	last   map[string]error
}

func newProcesses(config *Config, s *screen.Screen) *processes {
	p := &processes{
		config: config,
		screen: s,
		pids:   make(map[string]int),
		deaths: make(map[string]int),
		last:   make(map[string]error),
	}
	p.supervisor = process.New(process.Config{
		RestartDelay: config.RestartDelay, Grace: config.StopGrace, OnEvent: p.hear,
	})

	return p
}

// start starts processes, one after the other.
func (p *processes) start(specs ...process.Spec) error {
	for _, spec := range specs {
		if err := p.supervisor.Start(spec); err != nil {
			return fmt.Errorf("start %s: %w", spec.Name, err)
		}

		p.screen.Linef(screen.Detail, "  %s", spec.String())
	}

	return nil
}

// hear keeps account of an event and shows it.
func (p *processes) hear(e process.Event) {
	p.mu.Lock()
	p.pids[e.Name] = e.PID

	if e.Kind == process.Died {
		p.deaths[e.Name]++
		p.last[e.Name] = e.Err
	}
	p.mu.Unlock()

	switch {
	case e.Kind == process.Started && e.Again:
		p.screen.Linef(screen.Good, "● %s is started again, as process %d", e.Name, e.PID)
	case e.Kind == process.Started:
		p.screen.Linef(screen.Plain, "● %s is started, as process %d", e.Name, e.PID)
	case e.Kind == process.Died:
		p.screen.Linef(screen.Alarm, "✖ %s died (process %d: %s); it is started again in %s",
			e.Name, e.PID, ending(e.Err), p.config.RestartDelay)
	case e.Kind == process.Killed:
		p.screen.Linef(screen.Alarm, "○ %s did not stop within %s and was killed", e.Name, p.config.StopGrace)
	default:
		p.screen.Linef(screen.Detail, "○ %s has stopped", e.Name)
	}
}

// failing returns an error when one of the processes dies time and again.
func (p *processes) failing() error {
	p.mu.Lock()
	defer p.mu.Unlock()

	for name, deaths := range p.deaths {
		if deaths >= maxDeaths {
			return hopelessError{fmt.Errorf("%s died %d times, last with: %s", name, deaths, ending(p.last[name]))}
		}
	}

	return nil
}

// forgive forgets past deaths: from now on they are part of the show.
func (p *processes) forgive() {
	p.mu.Lock()
	defer p.mu.Unlock()

	clear(p.deaths)
}

// pid is the number of a process as it runs now.
func (p *processes) pid(name string) int {
	p.mu.Lock()
	defer p.mu.Unlock()

	return p.pids[name]
}

func ending(err error) string {
	if err == nil {
		return "it ended by itself"
	}

	return err.Error()
}
