package agent

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/tidemark-project/tidemark/clients/tidemark"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

const (
	defaultExecTimeout = 30 * time.Second
	defaultExecGrace   = 5 * time.Second
	// maxStderr is how much of the end of a program's standard error becomes the message.
	maxStderr = 900
	// outputDelay is how long the output of a program that has ended is read, if what it left behind holds it open.
	outputDelay = 100 * time.Millisecond
)

// TryAgain is the exit status by which a program asks to be run again later: EX_TEMPFAIL of sysexits.h.
const TryAgain = 75

// ExecConfig says what is run.
type ExecConfig struct {
	// Command is the program, looked for in PATH, and its arguments; required. No shell is involved.
	Command []string
	// Timeout bounds one run; 30 s when not set.
	Timeout time.Duration
	// Grace is how long a program that has to end, because its time is over or the agent stops, may take from SIGTERM to
	// SIGKILL; 5 s when not set.
	Grace time.Duration
	// Dir is where it runs; where the agent does when empty.
	Dir string
}

// Exec is an actuator that runs a program for each recommendation, which it finds as one line of JSON on its standard
// input, and in the main in its environment: TIDEMARK_SERVICE, TIDEMARK_REVISION, TIDEMARK_MODE ("ENFORCE"),
// TIDEMARK_DIRECTION ("UP") and TIDEMARK_DISRUPTION ("ROLLING"), beside the agent's own.
//
// Exit status 0 means that the recommendation was applied. After TryAgain, and when the program cannot be started, is
// ended by a signal or takes too long, it is run again later. Every other status means that the recommendation was refused
// for good. The end of the standard error is the message; the standard output is thrown away.
//
// The program has a process group of its own. When it ends, or has to, so do the processes that it has begun in that group:
// none goes on changing a service while the next recommendation is applied to it.
type Exec struct {
	config ExecConfig
}

var errNoCommand = errors.New("exec needs a program to run")

// NewExec returns an actuator that runs a program, which must be there.
func NewExec(config ExecConfig) (*Exec, error) {
	if len(config.Command) == 0 || config.Command[0] == "" {
		return nil, errNoCommand
	}

	if _, err := exec.LookPath(config.Command[0]); err != nil {
		return nil, fmt.Errorf("exec needs a program to run: %w", err)
	}

	if config.Timeout <= 0 {
		config.Timeout = defaultExecTimeout
	}

	if config.Grace <= 0 {
		config.Grace = defaultExecGrace
	}

	return &Exec{config: config}, nil
}

// Apply implements Actuator.
func (e *Exec) Apply(ctx context.Context, recommendation *tidemarkv1.Recommendation) error {
	input, err := tidemark.MarshalJSON(recommendation)
	if err != nil {
		return Permanent(err)
	}

	var stderr tail

	// It is ended below, which the context of the command cannot do for a whole group.
	command := exec.CommandContext(context.WithoutCancel(ctx), e.config.Command[0], e.config.Command[1:]...) //nolint:gosec // the operator's command
	command.Dir = e.config.Dir
	command.Env = append(os.Environ(), environment(recommendation)...)
	command.Stdin = bytes.NewReader(append(input, '\n'))
	command.Stderr = &stderr
	command.WaitDelay = outputDelay
	command.SysProcAttr = ownGroup()

	if err := command.Start(); err != nil {
		return fmt.Errorf("exec: %w", err)
	}

	cut := e.wait(ctx, command)

	return outcome(command.ProcessState, cut, stderr.text())
}

// wait waits for the end of the program and of all in its group. It returns why that was brought about; nil when it came
// by itself.
func (e *Exec) wait(ctx context.Context, command *exec.Cmd) error {
	limited, cancel := context.WithTimeoutCause(ctx, e.config.Timeout,
		fmt.Errorf("it took longer than %s", e.config.Timeout))
	defer cancel()

	ended := make(chan struct{})

	go func() {
		defer close(ended)

		_ = command.Wait() // its process state tells
	}()

	// What it left behind. A group without members is another's only after all process numbers have gone round.
	defer signalGroup(command.Process, syscall.SIGKILL)

	select {
	case <-ended:
		return nil
	case <-limited.Done():
	}

	signalGroup(command.Process, syscall.SIGTERM)

	grace := time.NewTimer(e.config.Grace)
	defer grace.Stop()

	select {
	case <-ended:
	case <-grace.C:
		signalGroup(command.Process, syscall.SIGKILL)
		<-ended
	}

	return context.Cause(limited) //nolint:wrapcheck // the caller's own, or that from above
}

// outcome says what the end of a program means.
func outcome(state *os.ProcessState, cut error, stderr string) error {
	said := ""
	if stderr != "" {
		said = ": " + stderr
	}

	switch {
	case cut != nil: // whatever its status: many a program that is asked to end does so with 0
		return fmt.Errorf("exec: ended by the agent, as %w%s", cut, said)
	case state.Success():
		return nil
	case state.ExitCode() == TryAgain, !state.Exited():
		return fmt.Errorf("exec: %s%s", state, said)
	default:
		return Permanent(fmt.Errorf("exec: %s%s", state, said))
	}
}

// environment tells the main things about a recommendation.
func environment(recommendation *tidemarkv1.Recommendation) []string {
	return []string{
		"TIDEMARK_SERVICE=" + recommendation.GetService(),
		"TIDEMARK_REVISION=" + strconv.FormatInt(recommendation.GetRevision(), 10),
		"TIDEMARK_MODE=" + strings.TrimPrefix(recommendation.GetMode().String(), "MODE_"),
		"TIDEMARK_DIRECTION=" + strings.TrimPrefix(recommendation.GetDirection().String(), "DIRECTION_"),
		"TIDEMARK_DISRUPTION=" + strings.TrimPrefix(recommendation.GetDisruption().String(), "DISRUPTION_CLASS_"),
	}
}
