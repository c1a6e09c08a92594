package clickhousedev

import (
	"errors"
	"slices"
	"testing"

	"github.com/ClickHouse/ch-go/proto"

	"github.com/tidemark-project/tidemark/internal/clickhousedev/wire"
)

func TestSettings(t *testing.T) {
	engine := &fakeEngine{settings: map[string]string{"b": "session's"}}
	s := settings{session: &fakeSession{engine}, applied: map[string]string{}, before: map[string]string{}}
	lookup := func(name string) string {
		return "SELECT value, changed FROM system.settings WHERE name = '" + name + "'"
	}
	for _, step := range []struct {
		apply []wire.Setting
		want  []string
	}{
		{nil, nil},
		{[]wire.Setting{{Name: "a", Value: "1"}, {Name: "async_insert", Value: "1"}}, []string{lookup("a"), "SET `a` = '1'"}},
		{[]wire.Setting{{Name: "a", Value: "1"}}, nil},
		{
			[]wire.Setting{{Name: "a", Value: "2"}, {Name: "b", Value: "'it\\'s'", Custom: true}},
			[]string{"SET `a` = '2'", lookup("b"), "SET `b` = 'it\\'s'"},
		},
		{[]wire.Setting{{Name: "unknown_setting", Value: "1"}}, []string{
			"SET `a` = DEFAULT, `b` = 'session\\'s'", lookup("unknown_setting"), "SET `unknown_setting` = '1'",
		}},
		{nil, nil},
		{[]wire.Setting{{Name: "a", Value: "3"}}, []string{"SET `a` = '3'"}},
		{nil, []string{"SET `a` = DEFAULT"}},
	} {
		if err := s.apply(step.apply); err != nil {
			t.Fatalf("%v: %v", step.apply, err)
		}
		if got := engine.log(); !slices.Equal(got, step.want) {
			t.Fatalf("%v:\ngot  %q\nwant %q", step.apply, got, step.want)
		}
	}
	s.forget()
	if len(s.before) != 0 {
		t.Fatal("the session's own values are still known")
	}
	err := s.apply([]wire.Setting{{Name: "unknown_setting", Value: "1", Important: true}})
	if !hasCode(err, proto.ErrUnknownSetting) {
		t.Fatalf("an important setting that is unknown: %v", err)
	}
}

func TestUnquote(t *testing.T) {
	for in, want := range map[string]string{
		"plain": "plain", "'quoted'": "quoted", `'it\'s'`: "it's", "'it''s'": "it's", `'a\nb\\c\0'`: "a\nb\\c\x00",
		`'\q'`: `\q`, "'": "'", "`a``b`": "a`b", "'a\"": "'a\"", "''": "",
	} {
		if got := unquote(in); got != want {
			t.Errorf("%s: got %q, want %q", in, got, want)
		}
	}
}

func FuzzUnquote(f *testing.F) {
	f.Add(`it's a \ and a ` + "\n")
	f.Fuzz(func(t *testing.T, s string) {
		if got := unquote(quoteString(s)); got != s {
			t.Fatalf("%q comes back as %q", s, got)
		}
		unquote(s)
	})
}

func TestException(t *testing.T) {
	for in, want := range map[string]exception{
		"Code: 60. DB::Exception: Unknown table x (y). (UNKNOWN_TABLE)":                    {60, "Unknown table x (y)."},
		"Code: 62. DB::Exception: Syntax\nerror. (SYNTAX_ERROR) (version 26.5 (official))": {62, "Syntax\nerror. (SYNTAX_ERROR) (version 26.5 (official))"},
		"Code: 62. DB::Exception: Syntax error. (SYNTAX_ERROR) (version 26.5.1.1)":         {62, "Syntax error."},
		"out of luck": {1002, "out of luck"},
		"Code: 1. x":  {1, "x"},
	} {
		var got *exception
		if err := asException(engineFailure(in)); !errors.As(err, &got) || *got != want {
			t.Errorf("%q: got %v", in, err)
		}
	}
	if err := asException(errServerGone); err != errServerGone { //nolint:errorlint // The same error is wanted.
		t.Errorf("an error that is not the engine's: %v", err)
	}
}
