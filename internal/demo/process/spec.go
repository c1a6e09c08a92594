package process

import (
	"strings"
	"time"
)

// Spec says what to run.
type Spec struct {
	// Name is what events call the process.
	Name string
	// Path is the program, Args are its arguments without the program's name.
	Path string
	Args []string
	// Env is added to the environment of the parent.
	Env []string
	// LogFile takes what the process writes to standard error, and to standard output unless OnLine is set.
	LogFile string
	// OnLine hears each line that the process writes to standard output, without its end, as soon as it is complete. The
	// line is valid until OnLine returns.
	OnLine func(line []byte)
}

// String is the command line, for people.
func (s *Spec) String() string {
	return strings.Join(append([]string{s.Path}, s.Args...), " ")
}

// Config is how processes are kept.
type Config struct {
	// RestartDelay is how long after its end a process is started again.
	RestartDelay time.Duration
	// Grace is how long a process that was asked to stop may take before it is killed.
	Grace time.Duration
	// OnEvent hears what happens to each process. It is called for one process at a time, but for several at once.
	OnEvent func(Event)
}

// EventKind is what an Event says.
type EventKind string

// The kinds.
const (
	// Started says that the process runs.
	Started EventKind = "started"
	// Died says that it ended, or could not be started, without having been asked to stop. It is started again after the
	// delay.
	Died EventKind = "died"
	// Stopped says that it ended as it was asked to.
	Stopped EventKind = "stopped"
	// Killed says that it did not end within the grace and was killed.
	Killed EventKind = "killed"
)

// Event is one thing that happened to a process.
type Event struct {
	// Name is the process's.
	Name string
	// Kind says what happened.
	Kind EventKind
	// PID is the process's number; 0 when it could not be started.
	PID int
	// Again reports that a Started process had been running before.
	Again bool
	// Err is how it ended; nil when it ended well.
	Err error
}
