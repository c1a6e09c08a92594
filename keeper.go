package process

import "time"

// keeper keeps one process running.
type keeper struct {
	spec       Spec
	supervisor *Supervisor
	stopping   chan struct{} // closed when the process is to stop
	done       chan struct{} // closed when it has
}

func newKeeper(spec Spec, s *Supervisor) *keeper {
	return &keeper{spec: spec, supervisor: s, stopping: make(chan struct{}), done: make(chan struct{})}
}

// run starts the process again and again until it is to stop.
func (k *keeper) run() {
	defer close(k.done)

	for again := false; k.attempt(again); again = true {
		select {
		case <-time.After(k.supervisor.config.RestartDelay):
		case <-k.stopping:
			return
		}
	}
}

// attempt runs the process once. It returns true when the process ended by itself.
func (k *keeper) attempt(again bool) bool {
	process, err := k.supervisor.launch(k.spec)
	if err != nil {
		k.report(Event{Kind: Died, Err: err})

		return true
	}

	k.report(Event{Kind: Started, PID: process.PID(), Again: again})

	ended := make(chan error, 1)
	go func() { ended <- process.Wait() }()

	select {
	case err := <-ended:
		// What the process may have started itself must not stand in the way of the next one.
		process.Kill()
		k.report(Event{Kind: Died, PID: process.PID(), Err: err})

		return true
	case <-k.stopping:
		k.end(process, ended)

		return false
	}
}

// end stops the process, gently at first.
func (k *keeper) end(process running, ended <-chan error) {
	process.Terminate()

	select {
	case err := <-ended:
		process.Kill()
		k.report(Event{Kind: Stopped, PID: process.PID(), Err: err})
	case <-time.After(k.supervisor.config.Grace):
		process.Kill()
		k.report(Event{Kind: Killed, PID: process.PID(), Err: <-ended})
	}
}

// stop returns when the process has ended for good.
func (k *keeper) stop() {
	close(k.stopping)
	<-k.done
}

func (k *keeper) report(event Event) {
	event.Name = k.spec.Name
	k.supervisor.report(event)
}
