package clickhousedev

import (
	"fmt"

	"github.com/tidemark-project/tidemark/internal/clickhousedev/chdb"
)

// formatNative is the format that results are asked for in.
const formatNative = "Native"

// engine runs SQL.
type engine interface {
	session() (session, error)
	close() error
}

// session has a current database, settings and temporary tables. It serves one goroutine.
type session interface {
	// query runs a statement to its end.
	query(sql, format string, params []chdb.Param) ([]byte, chdb.Stats, error)
	// stream runs a SELECT whose rows come in chunks.
	stream(sql, format string, params []chdb.Param) (stream, error)
	close()
}

// stream is a result that comes in chunks; io.EOF follows the last one.
type stream interface {
	Next() ([]byte, chdb.Stats, error)
	Close()
}

// embedded is the engine in libchdb.
type embedded struct{ engine *chdb.Engine }

func (e embedded) session() (session, error) {
	s, err := e.engine.Session()
	if err != nil {
		return nil, fmt.Errorf("open a session: %w", err)
	}
	return embeddedSession{s}, nil
}

func (e embedded) close() error {
	if err := e.engine.Close(); err != nil {
		return fmt.Errorf("close the engine: %w", err)
	}
	return nil
}

// embeddedSession passes errors on as they are: their text is what the client gets.
type embeddedSession struct{ s *chdb.Session }

func (s embeddedSession) query(sql, format string, params []chdb.Param) ([]byte, chdb.Stats, error) {
	return s.s.Query(sql, format, params)
}

func (s embeddedSession) stream(sql, format string, params []chdb.Param) (stream, error) {
	r, err := s.s.Stream(sql, format, params)
	if err != nil {
		return nil, err
	}
	return r, nil
}

func (s embeddedSession) close() { s.s.Close() }
