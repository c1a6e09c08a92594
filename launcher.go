package process

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"time"
)

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

// close ends the thread; nothing that was launched may still run.
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

// child is one process.
type child struct {
	command *exec.Cmd
	log     *os.File
}

// pipeDelay is how long after the end of a process its output is still read, should a child of its own hold it open.
const pipeDelay = 2 * time.Second

func start(spec Spec) (*child, error) {
	log, err := os.OpenFile(spec.LogFile, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the log of %s: %w", spec.Name, err)
	}

	command := exec.Command(spec.Path, spec.Args...) //nolint:gosec,noctx // our own program; ended by signals, in order
	command.Env = append(os.Environ(), spec.Env...)
	command.Stdout, command.Stderr = log, log
	command.SysProcAttr = attributes()
	command.WaitDelay = pipeDelay

	if spec.OnLine != nil {
		command.Stdout = &lineWriter{onLine: spec.OnLine}
	}

	if err := command.Start(); err != nil {
		return nil, errors.Join(fmt.Errorf("start %s: %w", spec.Name, err), log.Close())
	}

	return &child{command: command, log: log}, nil
}

// PID implements running.
func (c *child) PID() int { return c.command.Process.Pid }

// Wait implements running.
func (c *child) Wait() error {
	return errors.Join(c.command.Wait(), c.log.Close())
}

// Terminate implements running.
func (c *child) Terminate() { terminate(c.command.Process) }

// Kill implements running.
func (c *child) Kill() { kill(c.command.Process) }
