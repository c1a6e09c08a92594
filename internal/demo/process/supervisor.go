package process

import (
	"errors"
	"slices"
	"sync"
)

// errStopped says that the supervisor has been stopped.
var errStopped = errors.New("no process can be started any more")

// Supervisor keeps processes running. Stop must be called at the end.
type Supervisor struct {
	config Config
	launch func(Spec) (running, error)
	close  func()

	mu      sync.Mutex // guards all below
	keepers []*keeper
	stopped bool
}

// running is a process that was started.
type running interface {
	// PID returns the process's number.
	PID() int
	// Wait returns when the process has ended, with nil when it ended well. It is called once.
	Wait() error
	// Terminate asks the process and its children to end.
	Terminate()
	// Kill ends the process and its children.
	Kill()
}

// New returns a supervisor without processes.
func New(config Config) *Supervisor {
	l := newLauncher()

	return &Supervisor{config: config, launch: l.launch, close: l.close}
}

// Start starts a process and keeps it running until Stop. A process that does not come up is an event and not an error,
// since it is tried again.
func (s *Supervisor) Start(spec Spec) error {
	s.mu.Lock()
	defer s.mu.Unlock()

	if s.stopped {
		return errStopped
	}

	k := newKeeper(spec, s)
	s.keepers = append(s.keepers, k)

	go k.run()

	return nil
}

// Stop stops the processes one after the other, the one that was started last first, and returns when the last has
// ended.
func (s *Supervisor) Stop() {
	s.mu.Lock()
	keepers, stopped := s.keepers, s.stopped
	s.keepers, s.stopped = nil, true
	s.mu.Unlock()

	for _, k := range slices.Backward(keepers) {
		k.stop()
	}

	if !stopped {
		s.close()
	}
}

func (s *Supervisor) report(event Event) {
	if s.config.OnEvent != nil {
		s.config.OnEvent(event)
	}
}
