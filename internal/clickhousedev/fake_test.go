package clickhousedev

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/tidemark-project/tidemark/internal/clickhousedev/chdb"
	"github.com/tidemark-project/tidemark/internal/clickhousedev/native"
)

// fakeEngine answers a few statements without an engine and notes them all.
type fakeEngine struct {
	mu         sync.Mutex
	statements []string
	// settings are those that system.settings shows as changed.
	settings map[string]string
	sessions int
}

func (e *fakeEngine) session() (session, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.sessions++
	return &fakeSession{e}, nil
}

func (e *fakeEngine) close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.sessions != 0 {
		return fmt.Errorf("%d sessions are open", e.sessions)
	}
	return nil
}

// log returns the statements since the last call.
func (e *fakeEngine) log() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	out := e.statements
	e.statements = nil
	return out
}

type fakeSession struct{ engine *fakeEngine }

func (s *fakeSession) close() {
	s.engine.mu.Lock()
	defer s.engine.mu.Unlock()
	s.engine.sessions--
}

func (s *fakeSession) query(sql, _ string, _ []chdb.Param) ([]byte, chdb.Stats, error) {
	s.engine.mu.Lock()
	defer s.engine.mu.Unlock()
	s.engine.statements = append(s.engine.statements, sql)
	switch {
	case strings.HasPrefix(sql, "SELECT version()"):
		return []byte(`["1.2.3.4","UTC"]`), chdb.Stats{}, nil
	case strings.HasPrefix(sql, "SELECT value, changed"):
		for name, value := range s.engine.settings {
			if strings.Contains(sql, quoteString(name)) {
				return fmt.Appendf(nil, `[%q,"1"]`, value), chdb.Stats{}, nil
			}
		}
		return []byte(`["0","0"]`), chdb.Stats{}, nil
	case strings.HasPrefix(sql, "DESCRIBE"):
		return []byte(`["a","UInt8","",""]` + "\n" + `["s","LowCardinality(String)","DEFAULT","'x'"]`), chdb.Stats{}, nil
	case strings.Contains(sql, "unknown_setting"):
		return nil, chdb.Stats{}, &chdb.Error{Message: "Code: 115. DB::Exception: Unknown setting 'unknown_setting'. (UNKNOWN_SETTING)"}
	case strings.Contains(sql, "fail"):
		return nil, chdb.Stats{}, &chdb.Error{Message: "Code: 60. DB::Exception: Unknown table fail. (UNKNOWN_TABLE)"}
	}
	return nil, chdb.Stats{}, nil
}

func (s *fakeSession) stream(sql, _ string, _ []chdb.Param) (stream, error) {
	s.engine.mu.Lock()
	defer s.engine.mu.Unlock()
	s.engine.statements = append(s.engine.statements, sql)
	return &fakeStream{}, nil
}

// fakeStream has one block of two rows of one column.
type fakeStream struct{ done bool }

func (s *fakeStream) Next() ([]byte, chdb.Stats, error) {
	if s.done {
		return nil, chdb.Stats{}, io.EOF
	}
	s.done = true
	head := native.AppendHeader(nil, []native.Column{{Name: "a", Type: "UInt8"}}, native.FileRevision)
	head[1] = 2
	return append(head, 7, 8), chdb.Stats{Rows: 2}, nil
}

func (*fakeStream) Close() {}

// fakeServer returns a server with a fake engine.
func fakeServer(tb testing.TB, password string) (*Server, *fakeEngine) {
	tb.Helper()
	engine := &fakeEngine{}
	s, err := New(Config{engine: engine, Password: password, DataDir: tb.TempDir(), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Error(err)
		}
	})
	return s, engine
}

var errServerGone = errors.New("server gone")

func engineFailure(message string) error { return &chdb.Error{Message: message} }
