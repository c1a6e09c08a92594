package realserver_test

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/tidemark-project/tidemark/internal/clickhousedev/realserver"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// program puts a shell script on a PATH of its own.
func program(t *testing.T, name, script string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
}

func TestFind(t *testing.T) {
	for name, test := range map[string]struct {
		script string
		found  bool
		log    string
	}{
		"recent":  {`[ "$1" = server ] && echo "ClickHouse server version 24.3.1.2672 (official build)."`, true, ""},
		"oldest":  {`echo "ClickHouse server version 22.3.0.1."`, true, ""},
		"old":     {`echo "ClickHouse server version 22.2.9."`, false, "version=22.2.9"},
		"ancient": {`echo "Unknown option specified: version"; exit 1`, false, `version="older than 19"`},
		"broken":  {`exit 1`, false, ""},
		"other":   {`echo hello`, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			program(t, "clickhouse", test.script)
			var log strings.Builder
			b, err := realserver.Find(t.Context(), slog.New(slog.NewTextHandler(&log, nil)))
			if test.found != (err == nil) || (err != nil && !errors.Is(err, realserver.ErrNotFound)) {
				t.Fatalf("found %+v, %v", b, err)
			}
			if test.found && !b.Recent() || !strings.Contains(log.String(), test.log) {
				t.Fatalf("%+v, log %s", b, log.String())
			}
		})
	}
}

func TestStartFails(t *testing.T) {
	program(t, "clickhouse", `echo out of luck; exit 3`)
	b := realserver.Binary{Path: filepath.Join(os.Getenv("PATH"), "clickhouse"), Args: []string{"server"}}
	_, err := realserver.Start(t.Context(), b, realserver.Config{DataDir: t.TempDir(), Listen: "127.0.0.1:1"})
	if !errors.Is(err, realserver.ErrExited) || !strings.Contains(err.Error(), "out of luck") {
		t.Fatalf("a server that ends at once: %v", err)
	}
	if _, err := realserver.Start(t.Context(), b, realserver.Config{DataDir: t.TempDir(), Listen: "nowhere"}); err == nil {
		t.Fatal("no error for an address without a port")
	}
	b.Path = "/nowhere"
	if _, err := realserver.Start(t.Context(), b, realserver.Config{DataDir: t.TempDir(), Listen: "127.0.0.1:1"}); err == nil {
		t.Fatal("no error for a program that is not there")
	}
}

func TestRun(t *testing.T) {
	b, err := realserver.FindOld(t.Context())
	if err != nil {
		t.Skip(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := ln.Addr().String()
	if err := ln.Close(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	readied := false
	err = realserver.Run(ctx, b, realserver.Config{DataDir: t.TempDir(), Listen: addr}, func() {
		readied = true
		cancel()
	})
	if err != nil || !readied {
		t.Fatalf("ready %v, %v", readied, err)
	}
}
