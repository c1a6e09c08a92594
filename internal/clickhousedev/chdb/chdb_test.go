package chdb_test

import (
	"errors"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/tidemark-project/tidemark/internal/clickhousedev/chdb"
	"github.com/tidemark-project/tidemark/internal/clickhousetest"
)

// open opens the engine and a session.
func open(t *testing.T) (*chdb.Engine, *chdb.Session) {
	t.Helper()
	engine, err := chdb.Open(clickhousetest.Engine(t), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := engine.Close(); err != nil && !errors.Is(err, chdb.ErrClosed) {
			t.Error(err)
		}
	})
	session, err := engine.Session()
	if err != nil {
		t.Fatal(err)
	}
	return engine, session
}

func query(t *testing.T, s *chdb.Session, sql string, params ...chdb.Param) string {
	t.Helper()
	out, _, err := s.Query(sql, "TSV", params)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return strings.TrimSpace(string(out))
}

func TestQuery(t *testing.T) {
	_, s := open(t)
	if got := query(t, s, "SELECT 1 + 1"); got != "2" {
		t.Fatalf("got %q", got)
	}
	got := query(t, s, "SELECT length({a:String}), {b:UInt8}, {c:String}",
		chdb.Param{Name: "a", Value: "x\x00y"}, chdb.Param{Name: "b", Value: "7"}, chdb.Param{Name: "c", Value: ""})
	if got != "3\t7" {
		t.Fatalf("got %q", got)
	}
	_, _, err := s.Query("SELECT a FROM nosuch", "TSV", nil)
	var failure *chdb.Error
	if !errors.As(err, &failure) || !strings.HasPrefix(failure.Message, "Code: 60. ") {
		t.Fatalf("a table that is not there: %v", err)
	}
	if out, _, err := s.Query("", "TSV", nil); err != nil || len(out) != 0 {
		t.Fatalf("nothing: %q, %v", out, err)
	}
}

func TestStream(t *testing.T) {
	_, s := open(t)
	const rows = 300_000
	stream, err := s.Stream("SELECT number FROM numbers(300000)", "TSV", nil)
	if err != nil {
		t.Fatal(err)
	}
	var got uint64
	chunks := 0
	for {
		_, stats, err := stream.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		got += stats.Rows
		chunks++
	}
	stream.Close()
	if got != rows || chunks < 2 {
		t.Fatalf("%d rows in %d chunks", got, chunks)
	}
	// A stream that is left open ends with the next query, and any time after that.
	if stream, err = s.Stream("SELECT number FROM system.numbers", "TSV", nil); err != nil {
		t.Fatal(err)
	}
	if _, _, err := stream.Next(); err != nil {
		t.Fatal(err)
	}
	if got := query(t, s, "SELECT 42"); got != "42" {
		t.Fatalf("after a stream: %q", got)
	}
	stream.Close()
	if _, _, err := stream.Next(); !errors.Is(err, io.EOF) {
		t.Fatalf("a closed stream: %v", err)
	}
	if _, err := s.Stream("CREATE TABLE t (a UInt8) ENGINE = Memory", "TSV", nil); err == nil {
		t.Fatal("DDL was streamed")
	}
}

func TestSessions(t *testing.T) {
	engine, first := open(t)
	second, err := engine.Session()
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	query(t, first, "CREATE DATABASE d")
	query(t, first, "USE d")
	query(t, first, "SET max_threads = 1")
	const sql = "SELECT currentDatabase(), toUInt8(getSetting('max_threads') = 1)"
	if a, b := query(t, first, sql), query(t, second, sql); a != "d\t1" || b != "default\t0" {
		t.Fatalf("sessions have %q and %q", a, b)
	}
	if err := engine.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := engine.Session(); !errors.Is(err, chdb.ErrClosed) {
		t.Fatalf("a session of a closed engine: %v", err)
	}
}

// TestSignals checks that Go's own handlers work after the library has had its way: SIGINT reaches the program, and a
// fault becomes a panic, also while queries run.
func TestSignals(t *testing.T) {
	engine, _ := open(t)
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(interrupts)
	var queries sync.WaitGroup
	defer queries.Wait()
	for range 4 {
		queries.Go(func() {
			s, err := engine.Session()
			if err != nil {
				t.Error(err)
				return
			}
			defer s.Close()
			if _, _, err := s.Query("SELECT sleep(0.2)", "TSV", nil); err != nil {
				t.Error(err)
			}
		})
	}
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		if err := syscall.Kill(os.Getpid(), sig); err != nil {
			t.Fatal(err)
		}
		select {
		case got := <-interrupts:
			if got != sig {
				t.Fatalf("sent %v, got %v", sig, got)
			}
		case <-time.After(10 * time.Second):
			t.Fatalf("%v does not reach the program", sig)
		}
	}
	queries.Wait()
	defer func() {
		if recover() == nil {
			t.Error("a fault was no panic")
		}
	}()
	var nothing *struct{ a int }
	nothing.a = 1
}

func TestErrors(t *testing.T) {
	engine, _ := open(t)
	if _, err := chdb.Open(clickhousetest.Engine(t), t.TempDir()); !errors.Is(err, chdb.ErrBusy) {
		t.Fatalf("a second engine: %v", err)
	}
	if err := engine.Close(); err != nil {
		t.Fatal(err)
	}
	if err := engine.Close(); !errors.Is(err, chdb.ErrClosed) {
		t.Fatalf("closed twice: %v", err)
	}
	text := t.TempDir() + "/libchdb.so"
	if err := os.WriteFile(text, []byte("not a library"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := chdb.Open(text, t.TempDir()); !errors.Is(err, chdb.ErrNoLibrary) {
		t.Fatalf("a file that is no library: %v", err)
	}
	if _, err := chdb.Open("/lib/x86_64-linux-gnu/libm.so.6", t.TempDir()); !errors.Is(err, chdb.ErrNoLibrary) {
		t.Fatalf("another library: %v", err)
	}
}
