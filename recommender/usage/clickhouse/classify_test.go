package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"

	"github.com/tidemark-project/tidemark/recommender/usage"
)

// verdict is what is made of an error.
type verdict struct{ asked, divisible, permanent bool }

func verdictOf(err error) verdict {
	fault, asked := errors.AsType[usage.QueryError](err)

	return verdict{asked, fault.Divisible, fault.Permanent}
}

func TestClassify(t *testing.T) {
	away, large, wrong := verdict{}, verdict{asked: true, divisible: true}, verdict{asked: true}
	answer := func(code int32, message string) error {
		return fmt.Errorf("query ClickHouse: %w", &clickhouse.Exception{Code: code, Message: message})
	}

	for name, c := range map[string]struct {
		err  error
		want verdict
	}{
		"refused":                {&net.OpError{Op: "dial", Err: os.ErrDeadlineExceeded}, away},
		"broken":                 {fmt.Errorf("read: %w", io.EOF), away},
		"no free connection":     {clickhouse.ErrAcquireConnTimeout, away},
		"timeout":                {context.DeadlineExceeded, away},
		"TIMEOUT_EXCEEDED":       {answer(159, ""), away},
		"TOO_SLOW":               {answer(160, ""), away},
		"TOO_MANY_QUERIES":       {answer(202, ""), away},
		"SOCKET_TIMEOUT":         {answer(209, ""), away},
		"NETWORK_ERROR":          {answer(210, ""), away},
		"QUERY_WAS_CANCELLED":    {answer(394, ""), away},
		"SERVER_OVERLOADED":      {answer(745, ""), away},
		"memory of the server":   {answer(241, "(total) memory limit exceeded: would use 9.00 GiB"), away},
		"memory of the user":     {answer(241, "User memory limit exceeded: would use 9.00 GiB"), away},
		"memory of the query":    {answer(241, "Query memory limit exceeded: would use 9.00 GiB"), large},
		"the same, long ago":     {answer(241, "Memory limit (for query) exceeded: would use 9.00 GiB"), large},
		"TOO_MANY_ROWS":          {answer(158, ""), large},
		"TOO_MANY_BYTES":         {answer(307, ""), large},
		"TOO_MANY_ROWS_OR_BYTES": {answer(396, ""), large},
		"UNKNOWN_TABLE":          {answer(60, ""), away},
		"UNKNOWN_IDENTIFIER":     {answer(47, ""), away},
		"UNKNOWN_DATABASE":       {answer(81, ""), away},
		"SYNTAX_ERROR":           {answer(62, ""), wrong},
		"TYPE_MISMATCH":          {answer(53, ""), wrong},
		"ACCESS_DENIED":          {answer(497, ""), away},
		"AUTHENTICATION_FAILED":  {answer(516, ""), away},
	} {
		if got := verdictOf(classify(c.err)); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}

		if !errors.Is(classify(c.err), c.err) {
			t.Errorf("%s: the error is not there any more", name)
		}
	}
}

// What the engine says to queries that cannot be.
func TestWhatTheEngineAnswers(t *testing.T) {
	e := startEngine(t)
	e.insert(sample{"a/b", "r", cpu, time.Now(), 1}, sample{"a/b", "r2", cpu, time.Now(), 1})

	read := func(change func(*Config), clock string) error {
		config := e.config
		change(&config)

		reader := NewReader(config, e.conn)
		if clock != "" {
			reader.clock = clock
		}

		_, err := reader.Read(t.Context(), []string{"a/b"}, usage.Request{Windows: []time.Duration{time.Hour}})

		return err
	}
	as := func(*Config) {}

	for name, c := range map[string]struct {
		err  error
		want verdict
	}{
		"too many rows":  {read(func(c *Config) { c.MaxRows = 1 }, ""), verdict{asked: true, divisible: true}},
		"no table":       {read(func(c *Config) { c.Names.Usage = "nowhere" }, ""), verdict{}},
		"no database":    {read(func(c *Config) { c.Names.Database = "nowhere" }, ""), verdict{}},
		"no column":      {read(as, "nothing"), verdict{}},
		"no syntax":      {read(as, "1 +"), verdict{asked: true}},
		"a wrong type":   {read(as, "toDateTime('x')"), verdict{asked: true}},
		"none of it":     {read(as, ""), verdict{}},
		"no such window": {errOf(e.readerAt(time.Time{}).Read(t.Context(), nil, usage.Request{Windows: []time.Duration{1}})), verdict{asked: true, permanent: true}},
	} {
		if got := verdictOf(c.err); got != c.want || (c.err == nil) != (name == "none of it") {
			t.Errorf("%s: %+v, want %+v: %v", name, got, c.want, c.err)
		}
	}
}

func errOf[T any](_ T, err error) error { return err }
