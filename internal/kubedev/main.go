// Kubedev is a Kubernetes API server for tests: the real kube-apiserver and an etcd, in one process.
//
// It listens on free ports of 127.0.0.1 only, over TLS, with RBAC. When it is ready it prints one line,
//
//	ready <path of kubeconfig>
//
// and nothing else, to the standard output; the kubeconfig holds an administrator's certificate, which is valid for a
// day. Warnings and errors go to the standard error, those of a start only if it fails. It ends, with status 0, on
// SIGINT or SIGTERM and when its standard input is closed, so that a test that is killed leaves nothing behind.
//
// No controller, scheduler or kubelet runs: a workload gets no pods and a pod does not start unless the test plays
// their parts. For that reason the admission plugin ServiceAccount is off, as pods would wait for accounts that
// nothing creates. Everything else has the default of its release, among it every feature gate.
//
// It is a module of its own so that the product depends on neither Kubernetes nor this etcd.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"k8s.io/klog/v2"
)

func main() {
	dir := flag.String("dir", "", "directory of the data, the certificates and the kubeconfig; if empty, a temporary one that is removed at the end")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "kubedev: unexpected argument %q; there are only flags\n", flag.Arg(0))
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	ctx, hungUp := context.WithCancel(ctx)
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		hungUp()
	}()
	err := runIn(ctx, *dir)
	stop()
	if err != nil {
		fmt.Fprintf(os.Stderr, "kubedev: %v\n", err)
		os.Exit(1)
	}
}

// runIn runs in a directory, or in a temporary one if it is empty.
func runIn(ctx context.Context, dir string) (err error) {
	if dir == "" {
		if dir, err = os.MkdirTemp("", "kubedev-"); err != nil {
			return fmt.Errorf("make a temporary directory: %w", err)
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return fmt.Errorf("find --dir: %w", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make --dir: %w", err)
	}
	return run(ctx, dir)
}

// run serves until the context ends.
func run(ctx context.Context, dir string) error {
	log, err := keepLog()
	if err != nil {
		return fmt.Errorf("configure the log: %w", err)
	}
	credentials, err := makeCredentials(filepath.Join(dir, "certificates"))
	if err != nil {
		return fmt.Errorf("make certificates: %w", err)
	}
	memory, err := startEtcd(filepath.Join(dir, "etcd"))
	if err != nil {
		return fmt.Errorf("start etcd: %w", err)
	}
	// Not Close, which waits for the connections of an API server that may be half started.
	defer memory.Server.HardStop()
	server, err := newServer(ctx, credentials, "http://"+memory.Clients[0].Addr().String())
	if err == nil {
		err = serve(ctx, server, log, func(ctx context.Context) error {
			return announce(ctx, filepath.Join(dir, "kubeconfig"), server.address, credentials)
		})
	}
	if err != nil {
		log.confess(os.Stderr)
		return fmt.Errorf("run kube-apiserver: %w", err)
	}
	return nil
}

// serve runs a server until the context ends. Announce returns when the server is ready or the context has ended.
func serve(ctx context.Context, server *server, log *log, announce func(context.Context) error) error {
	// A server that has not started yet cannot be stopped: it would take that for a fatal fault of its own.
	serving, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	served, announced := make(chan error, 1), make(chan error, 1)
	klog.OsExit = func(code int) {
		served <- fmt.Errorf("it gave up with status %d", code)
		select {}
	}
	go func() { served <- server.run(serving) }()
	go func() { announced <- announce(ctx) }()
	select {
	case err := <-served:
		return err
	case err := <-announced: // also soon after the context has ended
		if err != nil && ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
	}
	log.started(os.Stderr)
	select {
	case <-ctx.Done():
		cancel()
		return <-served
	case err := <-served:
		return err
	}
}
