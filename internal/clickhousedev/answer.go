package clickhousedev

import (
	"errors"
	"fmt"
	"log/slog"

	"github.com/ClickHouse/ch-go/proto"

	"github.com/tidemark-project/tidemark/internal/clickhousedev/chdb"
	"github.com/tidemark-project/tidemark/internal/clickhousedev/statement"
	"github.com/tidemark-project/tidemark/internal/clickhousedev/wire"
)

// request is a query with what was found out about it.
type request struct {
	statement.Statement

	params []chdb.Param
}

// answer reads a query and answers it. An error ends the connection; what is wrong with the query does not.
func (c *conn) answer() error {
	q, err := c.reader.Query(c.revision)
	if err != nil {
		return fmt.Errorf("read query: %w", err)
	}
	c.compressed = q.Compressed
	err = c.run(q)
	var x *exception
	if errors.Is(err, errCancelled) {
		return c.sendCode(proto.ServerCodeEndOfStream)
	}
	if !errors.As(err, &x) {
		return err
	}
	c.log.Debug("query failed", slog.Int("code", int(x.code)), slog.String("message", x.message))
	return c.sendException(x)
}

func (c *conn) run(q wire.Query) error {
	external, err := c.receiveExternal()
	if err != nil {
		return err
	}
	defer c.dropExternal(external)
	st, err := statement.Parse(q.Text)
	if err != nil {
		code := proto.ErrSyntaxError
		if errors.Is(err, statement.ErrEmpty) {
			code = proto.ErrEmptyQuery
		}
		return refuse(code, "%s", err.Error())
	}
	list := q.Settings
	if st.Kind == statement.Set {
		// It must find the session's own settings.
		list = nil
	}
	if err := c.settings.apply(list); err != nil {
		return err
	}
	req := request{Statement: st}
	for _, p := range q.Parameters {
		req.params = append(req.params, chdb.Param{Name: p.Name, Value: unquote(p.Value)})
	}
	return c.dispatch(req)
}

func (c *conn) dispatch(req request) error {
	switch req.Kind {
	case statement.Insert:
		return c.insert(req)
	case statement.Select:
		return c.selectRows(req)
	case statement.Refused:
		return refuse(proto.ErrNotImplemented, "The development server does not run this statement: "+
			"it would end the process that the engine is part of")
	case statement.Set:
		return c.set(req)
	case statement.Show, statement.Other:
		return c.execute(req)
	}
	return c.execute(req)
}

// set runs a SET. Afterwards the settings that are ours have our values again, whatever the client has made of them.
func (c *conn) set(req request) error {
	c.settings.forget()
	if err := c.execute(req); err != nil {
		return err
	}
	return c.settings.own(c.tag)
}
