package process_test

import (
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/internal/demo/process"
)

var errCrash = errors.New("crash")

// fake is a process that ends when the test says so.
type fake struct {
	name     string
	pid      int
	stubborn bool
	calls    *journal
	once     sync.Once
	ended    chan error
}

// end makes the process end by itself.
func (f *fake) end(err error) { f.once.Do(func() { f.ended <- err }) }

// PID implements running.
func (f *fake) PID() int { return f.pid }

// Wait implements running.
func (f *fake) Wait() error { return <-f.ended }

// Terminate implements running.
func (f *fake) Terminate() {
	f.calls.add("terminate " + f.name)

	if !f.stubborn {
		f.end(nil)
	}
}

// Kill implements running.
func (f *fake) Kill() { f.end(errCrash) }

// journal is what happened, in order.
type journal struct {
	mu      sync.Mutex // guards all below
	entries []string
	started []*fake
}

func (j *journal) add(entry string) {
	j.mu.Lock()
	defer j.mu.Unlock()

	j.entries = append(j.entries, entry)
}

func (j *journal) event(e process.Event) { j.add(string(e.Kind) + " " + e.Name) }

// take returns the entries since it was last called.
func (j *journal) take() []string {
	j.mu.Lock()
	defer j.mu.Unlock()

	entries := j.entries
	j.entries = nil

	return entries
}

// launch makes fakes; a process called "stubborn" does not end when it is asked to, one called "absent" does not start.
func (j *journal) launch(spec process.Spec) (process.Running, error) {
	if spec.Name == "absent" {
		return nil, errCrash
	}

	j.mu.Lock()
	defer j.mu.Unlock()

	f := &fake{
		name: spec.Name, pid: len(j.started) + 1, stubborn: spec.Name == "stubborn",
		calls: j, ended: make(chan error, 1),
	}
	j.started = append(j.started, f)

	return f, nil
}

func config(j *journal) process.Config {
	return process.Config{RestartDelay: 3 * time.Second, Grace: 10 * time.Second, OnEvent: j.event}
}

func TestDeadProcessIsStartedAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var j journal

		s := process.NewWith(config(&j), j.launch)
		require.NoError(t, s.Start(process.Spec{Name: "a"}))
		synctest.Wait()
		require.Equal(t, []string{"started a"}, j.take())

		j.started[0].end(errCrash)
		synctest.Wait()
		require.Equal(t, []string{"died a"}, j.take())

		advance(3*time.Second - 1)
		require.Empty(t, j.take(), "not before the delay")

		advance(1)
		require.Equal(t, []string{"started a"}, j.take())

		s.Stop()
		require.Equal(t, []string{"terminate a", "stopped a"}, j.take())
	})
}

func TestProcessThatCannotStartIsTriedAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var j journal

		s := process.NewWith(config(&j), j.launch)
		require.NoError(t, s.Start(process.Spec{Name: "absent"}))

		advance(7 * time.Second)
		require.Equal(t, []string{"died absent", "died absent", "died absent"}, j.take())

		began := time.Now()
		s.Stop()
		require.Empty(t, j.take())
		require.Zero(t, time.Since(began), "nothing runs, so nothing is waited for")
	})
}

func TestStopOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var j journal

		s := process.NewWith(config(&j), j.launch)
		for _, name := range []string{"engine", "server", "agent"} {
			require.NoError(t, s.Start(process.Spec{Name: name}))
			synctest.Wait()
		}

		j.take()
		s.Stop()
		require.Equal(t, []string{
			"terminate agent", "stopped agent",
			"terminate server", "stopped server",
			"terminate engine", "stopped engine",
		}, j.take())

		s.Stop()
		require.Empty(t, j.take(), "stopping again does nothing")
		require.Error(t, s.Start(process.Spec{Name: "late"}))
	})
}

func TestStubbornProcessIsKilled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var j journal

		s := process.NewWith(config(&j), j.launch)
		require.NoError(t, s.Start(process.Spec{Name: "stubborn"}))
		synctest.Wait()
		j.take()

		began := time.Now()
		s.Stop()
		require.Equal(t, []string{"terminate stubborn", "killed stubborn"}, j.take())
		require.Equal(t, 10*time.Second, time.Since(began))
	})
}

// advance lets the fake time pass.
func advance(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}
