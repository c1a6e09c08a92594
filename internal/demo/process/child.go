package process

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"
)

// pipeDelay is how long after the end of a process its output is still read, should a child of its own hold it open.
const pipeDelay = 2 * time.Second

// child is one process of the system.
type child struct {
	command *exec.Cmd
	log     *os.File
}

func start(spec Spec) (*child, error) {
	log, err := os.OpenFile(spec.LogFile, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the log of %s: %w", spec.Name, err)
	}

	command := exec.Command(spec.Path, spec.Args...) //nolint:gosec,noctx // our own program; it is ended by signals, in order
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
