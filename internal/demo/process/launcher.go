package process

import "runtime"

// launcher starts processes from one thread, which lives as long as the launcher. On Linux the signal that a child gets
// at the death of its parent comes at the death of the thread that started it, and threads come and go in a Go program.
type launcher struct {
	requests chan func()
}

func newLauncher() *launcher {
	l := &launcher{requests: make(chan func())}

	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()

		for request := range l.requests {
			request()
		}
	}()

	return l
}

// close gives the thread up; nothing that was launched may still run.
func (l *launcher) close() { close(l.requests) }

// launch starts a process.
func (l *launcher) launch(spec Spec) (running, error) {
	var (
		started *child
		err     error
		done    = make(chan struct{})
	)

	l.requests <- func() {
		defer close(done)

		started, err = start(spec)
	}

	<-done

	// Spelled out, since a nil *child would make an interface that is not nil.
	if err != nil {
		return nil, err
	}

	return started, nil
}
