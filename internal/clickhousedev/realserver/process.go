package realserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

const (
	// readyTimeout bounds the time from the start of a server until it listens.
	readyTimeout = time.Minute
	// stopTimeout is how long a server may take to stop before it is killed, unless told otherwise.
	stopTimeout = 15 * time.Second
	pollEvery   = 20 * time.Millisecond
	logTail     = 4 << 10
)

// ErrExited says that the server ended although nobody had stopped it.
var ErrExited = errors.New("the ClickHouse server ended")

// Process is a running server.
type Process struct {
	cfg  Config
	cmd  *exec.Cmd
	dir  string
	done chan struct{}
	err  error
}

// Start starts a server and waits until it listens.
func Start(ctx context.Context, b Binary, cfg Config) (*Process, error) {
	config, err := cfg.write(b)
	if err != nil {
		return nil, err
	}
	args := append(append([]string(nil), b.Args...), "--config-file="+config)
	p := &Process{cfg: cfg, cmd: exec.Command(b.Path, args...), dir: filepath.Dir(config), done: make(chan struct{})} //nolint:gosec,noctx // The caller chose the program; Stop ends it.
	p.cmd.Dir = p.dir
	p.cmd.SysProcAttr = ownGroup()
	output, err := os.Create(filepath.Join(p.dir, "server.out"))
	if err != nil {
		return nil, fmt.Errorf("output of the server: %w", err)
	}
	p.cmd.Stdout, p.cmd.Stderr = output, output
	err = p.cmd.Start()
	if closeErr := output.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", b.Path, err)
	}
	go p.wait()
	if err := p.ready(ctx); err != nil {
		return nil, errors.Join(err, p.Stop())
	}
	return p, nil
}

// wait notes how the process ended.
func (p *Process) wait() {
	p.err = p.cmd.Wait()
	close(p.done)
}

// ready waits until the server accepts connections on all its ports.
func (p *Process) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	addrs := []string{p.cfg.Listen}
	if p.cfg.TLS.Port != "" {
		host, _, err := net.SplitHostPort(p.cfg.Listen)
		if err != nil {
			return fmt.Errorf("address to listen on: %w", err)
		}
		addrs = append(addrs, net.JoinHostPort(host, p.cfg.TLS.Port))
	}
	for _, addr := range addrs {
		if err := p.listens(ctx, addr); err != nil {
			return err
		}
	}
	return nil
}

// listens waits until the server accepts connections on an address.
func (p *Process) listens(ctx context.Context, addr string) error {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	var dialer net.Dialer
	for {
		conn, err := dialer.DialContext(ctx, "tcp", addr)
		if err == nil {
			if err := conn.Close(); err != nil {
				return fmt.Errorf("probe the server: %w", err)
			}
			return nil
		}
		select {
		case <-p.done:
			return fmt.Errorf("%w: %w\n%s", ErrExited, p.err, p.output())
		case <-ctx.Done():
			return fmt.Errorf("the ClickHouse server does not listen on %s: %w\n%s", addr, ctx.Err(), p.output())
		case <-tick.C:
		}
	}
}

// Done is closed when the process has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Stop asks the server to stop, kills it if it does not, and waits until it has ended.
func (p *Process) Stop() error { return p.end(syscall.SIGTERM) }

// Kill ends the server at once, as a crash would.
func (p *Process) Kill() error { return p.end(syscall.SIGKILL) }

func (p *Process) end(sig syscall.Signal) error {
	if err := p.cmd.Process.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("stop the server: %w", err)
	}
	timer := time.NewTimer(cmp.Or(p.cfg.StopTimeout, stopTimeout))
	defer timer.Stop()
	select {
	case <-p.done:
		return nil
	case <-timer.C:
	}
	if err := p.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("kill the server: %w", err)
	}
	<-p.done
	return nil
}

// output returns the end of what the server has printed and of its log of errors.
func (p *Process) output() string {
	return tail(filepath.Join(p.dir, "server.out")) + tail(filepath.Join(p.dir, "server.err.log"))
}

func tail(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close() //nolint:errcheck // It was only read.
	if info, err := f.Stat(); err == nil && info.Size() > logTail {
		if _, err := f.Seek(-logTail, io.SeekEnd); err != nil {
			return ""
		}
	}
	out, err := io.ReadAll(f)
	if err != nil {
		return ""
	}
	return string(out)
}

// Run runs a server until ctx is done, and returns an error if it ends before that. The function ready is called
// when the server listens.
func Run(ctx context.Context, b Binary, cfg Config, ready func()) error {
	p, err := Start(ctx, b, cfg)
	if err != nil {
		return err
	}
	ready()
	select {
	case <-ctx.Done():
		return p.Stop()
	case <-p.Done():
		return fmt.Errorf("%w: %w\n%s", ErrExited, p.err, p.output())
	}
}
