package kubetest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

const (
	startTimeout = 2 * time.Minute
	stopTimeout  = time.Minute
)

// program is a running API server. It ends when its standard input does, so it does not outlive this process.
type program struct {
	kubeconfig string
	stdin      io.Closer
	exited     chan struct{} // closed when it has ended and err is set
	err        error
	command    *exec.Cmd
	said       *strings.Builder // what it has written to its standard error; to be read when it has ended
}

// run starts the program at a path and waits until it is ready.
func run(path string) (*program, error) {
	p := &program{exited: make(chan struct{}), said: &strings.Builder{}}
	p.command = exec.Command(path) //nolint:gosec,noctx // The path is the developer's own, and closing its input ends it.
	p.command.Stderr = p.said
	stdin, err := p.command.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("make a pipe: %w", err)
	}
	p.stdin = stdin
	stdout, written, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("make a pipe: %w", err)
	}
	defer stdout.Close() //nolint:errcheck // Only read from.
	p.command.Stdout = written
	err = p.command.Start()
	if err := errors.Join(err, written.Close()); err != nil {
		return nil, fmt.Errorf("start %s: %w", path, err)
	}
	go p.wait()

	line, err := readLine(stdout)
	kubeconfig, ready := strings.CutPrefix(line, "ready ")
	if err == nil && !ready {
		err = fmt.Errorf("it said %q, want \"ready\" and the path of a kubeconfig", line)
	}
	if err != nil {
		return nil, fmt.Errorf("%s is not ready: %w", path, errors.Join(err, p.stop()))
	}
	p.kubeconfig = kubeconfig
	return p, nil
}

func (p *program) wait() {
	defer close(p.exited)
	p.err = p.command.Wait()
	if p.err != nil {
		p.err = fmt.Errorf("it ended: %w; its last words: %s", p.err, strings.TrimSpace(p.said.String()))
	}
}

// readLine reads the first line, within the time that a start may take.
func readLine(file *os.File) (string, error) {
	if err := file.SetReadDeadline(time.Now().Add(startTimeout)); err != nil {
		return "", fmt.Errorf("limit the wait: %w", err)
	}
	line, err := bufio.NewReader(file).ReadString('\n')
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return "", fmt.Errorf("it said nothing for %v", startTimeout)
	case errors.Is(err, io.EOF):
		return "", errors.New("it ended before it was")
	case err != nil:
		return "", fmt.Errorf("read its output: %w", err)
	}
	return strings.TrimSuffix(line, "\n"), nil
}

// stop ends the program, by force if it takes too long.
func (p *program) stop() error {
	err := p.stdin.Close()
	if errors.Is(err, os.ErrClosed) {
		err = nil // it has ended by itself
	}
	patience := time.NewTimer(stopTimeout)
	defer patience.Stop()
	select {
	case <-p.exited:
		return errors.Join(err, p.err)
	case <-patience.C:
		err = errors.Join(err, fmt.Errorf("it did not end within %v of being told to", stopTimeout), p.command.Process.Kill())
		<-p.exited
		return errors.Join(err, p.err)
	}
}
