package main

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"sync"

	"k8s.io/klog/v2"
)

// log is where Kubernetes logs warnings and errors. While the server starts, it keeps them: every healthy start has
// dozens, of API versions that are no longer served and of things not there yet. They matter if the start fails.
type log struct {
	mu   sync.Mutex
	out  io.Writer // nil while it starts
	kept bytes.Buffer
}

// keepLog makes all that Kubernetes logs go to the log, or nowhere if it is less than a warning.
func keepLog() (*log, error) {
	kept := &log{}
	flags := flag.NewFlagSet("klog", flag.ContinueOnError)
	klog.InitFlags(flags)
	// Every message goes to the outputs of its severity and of all lesser ones, and fatal ones to the standard error too.
	klog.SetOutput(io.Discard)
	klog.SetOutputBySeverity("WARNING", kept)
	return kept, errors.Join(flags.Set("logtostderr", "false"), flags.Set("stderrthreshold", "FATAL"))
}

// Write never fails for want of a place to write to.
func (l *log) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.out == nil {
		return l.kept.Write(line)
	}
	return l.out.Write(line)
}

// started drops what was kept; what follows is written to out.
func (l *log) started(out io.Writer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kept.Reset()
	l.out = out
}

// confess writes what was kept to out, as the start has failed.
func (l *log) confess(out io.Writer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, _ = l.kept.WriteTo(out)
	l.out = out
}
