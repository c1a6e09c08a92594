package statement_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/tidemark-project/tidemark/internal/clickhousedev/statement"
)

func TestParse(t *testing.T) {
	for _, test := range []struct {
		in   string
		kind statement.Kind
		text string
	}{
		{"SELECT 1", statement.Select, "SELECT 1"},
		{"  -- note\n/* ; */ select 1 ;; -- end", statement.Select, "  -- note\n/* ; */ select 1 "},
		{"SELECT ';', `;`, $$;$$, $a$;$$;$a$ FROM t;", statement.Select, "SELECT ';', `;`, $$;$$, $a$;$$;$a$ FROM t"},
		{"SELECT 'it''s;' FORMAT JSON", statement.Select, "SELECT 'it''s;' "},
		{"SELECT 1 FORMAT TSV SETTINGS max_threads = 1", statement.Select, "SELECT 1  SETTINGS max_threads = 1"},
		{"SELECT format('{}', a) FROM (SELECT 1 AS a FORMAT x)", statement.Select, "SELECT format('{}', a) FROM (SELECT 1 AS a FORMAT x)"},
		{"SELECT 1 AS format", statement.Select, "SELECT 1 AS format"},
		{"(SELECT 1) UNION ALL SELECT 2", statement.Select, "(SELECT 1) UNION ALL SELECT 2"},
		{"WITH 1 AS x SELECT x", statement.Select, "WITH 1 AS x SELECT x"},
		{"FROM t SELECT a", statement.Select, "FROM t SELECT a"},
		{"SHOW TABLES FORMAT TSV", statement.Show, "SHOW TABLES "},
		{"describe t", statement.Show, "describe t"},
		{"SET a = 1", statement.Set, "SET a = 1"},
		{"CREATE TABLE t (a UInt8) ENGINE = Memory", statement.Other, "CREATE TABLE t (a UInt8) ENGINE = Memory"},
		{"INSERT INTO t SELECT 1", statement.Other, "INSERT INTO t SELECT 1"},
		{"INSERT INTO t (SELECT 1)", statement.Other, "INSERT INTO t (SELECT 1)"},
		{"INSERT INTO t FROM INFILE 'x' FORMAT CSV", statement.Other, "INSERT INTO t FROM INFILE 'x' FORMAT CSV"},
		{"SYSTEM SHUTDOWN", statement.Refused, "SYSTEM SHUTDOWN"},
		{"SYSTEM FLUSH LOGS", statement.Other, "SYSTEM FLUSH LOGS"},
		{"CREATE NAMED COLLECTION c AS a = 1", statement.Refused, "CREATE NAMED COLLECTION c AS a = 1"},
		{"SELECT 'open", statement.Select, "SELECT 'open"},
		{"# shebang\nSELECT 1", statement.Select, "# shebang\nSELECT 1"},
	} {
		got, err := statement.Parse(test.in)
		if err != nil || got.Kind != test.kind || got.Text != test.text {
			t.Errorf("%q: kind %d, text %q, error %v", test.in, got.Kind, got.Text, err)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for in, want := range map[string]error{
		"":                    statement.ErrEmpty,
		" -- nothing":         statement.ErrEmpty,
		";":                   statement.ErrEmpty,
		"SELECT 1; SELECT 2":  statement.ErrMultiple,
		"SELECT 1;;;SELECT 2": statement.ErrMultiple,
	} {
		if _, err := statement.Parse(in); !errors.Is(err, want) {
			t.Errorf("%q: %v", in, err)
		}
	}
}

func TestParseInsert(t *testing.T) {
	for in, want := range map[string]statement.InsertParts{
		"INSERT INTO t VALUES":                        {Target: "t", Format: "Values"},
		"insert into db.`t x` (a, `b)`) values ; ":    {Target: "db.`t x`", Columns: "a, `b)`", Format: "Values"},
		"INSERT INTO TABLE t FORMAT Native":           {Target: "t", Format: "Native"},
		"INSERT INTO t (* EXCEPT(a)) FORMAT Native\n": {Target: "t", Columns: "* EXCEPT(a)", Format: "Native"},
		"INSERT INTO t VALUES (1, ';'), (2, '');": {
			Target: "t", Format: "Values", Source: statement.Inline, Data: " (1, ';'), (2, '')",
		},
		"INSERT INTO t SETTINGS async_insert = 1, x = 'VALUES' VALUES (1)": {
			Target: "t", Settings: "SETTINGS async_insert = 1, x = 'VALUES'", Format: "Values", Source: statement.Inline, Data: " (1)",
		},
		"INSERT INTO t (a) FORMAT CSV\n1\n2\n": {
			Target: "t", Columns: "a", Format: "CSV", Source: statement.Inline, Data: "1\n2\n",
		},
		"INSERT INTO FUNCTION null('a UInt8') VALUES": {Target: "FUNCTION null('a UInt8')", Format: "Values"},
		"INSERT INTO \"a\" . \"b\" VALUES":            {Target: "\"a\" . \"b\"", Format: "Values"},
	} {
		got, err := statement.Parse(in)
		if err != nil || got.Kind != statement.Insert || !reflect.DeepEqual(got.Insert, want) {
			t.Errorf("%q: kind %d, parts %+v, error %v", in, got.Kind, got.Insert, err)
		}
	}
}

func TestNames(t *testing.T) {
	for in, want := range map[string][]string{
		"a":                           {"a"},
		" a , `b c`,\"d\" ":           {"a", "b c", "d"},
		"n.a, `n`.`b`, `n.c`, `x``y`": {"n.a", "n.b", "n.c", "x`y"},
	} {
		if got, ok := statement.Names(in); !ok || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %q, %v", in, got, ok)
		}
	}
	for _, in := range []string{"", "*", "a,", "a b", "COLUMNS('x')", "* EXCEPT(a)", "'a'"} {
		if got, ok := statement.Names(in); ok {
			t.Errorf("%q: %q", in, got)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"SELECT 1 FORMAT JSON;", "INSERT INTO t (a, b) SETTINGS x = 1 VALUES (1)", "INSERT INTO FUNCTION f(1) FORMAT CSV\n1",
		"$a$ $b$ ", "/* ' */ `", "WITH x AS (SELECT ';') SELECT * FROM x", "INSERT INTO", "CREATE NAMED COLLECTION",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		s, err := statement.Parse(in)
		if err != nil {
			if !errors.Is(err, statement.ErrEmpty) && !errors.Is(err, statement.ErrMultiple) {
				t.Fatal(err)
			}
			return
		}
		if len(s.Text) > len(in) || !strings.Contains(in, s.Insert.Target) || !strings.Contains(in, s.Insert.Data) {
			t.Fatalf("%q: parts that are not in the statement: %+v", in, s)
		}
		statement.Names(s.Insert.Columns)
	})
}
