package clickhouseschema

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"
)

func TestDefaultsAreValid(t *testing.T) {
	config := DefaultConfig()
	if err := config.Validate(); err != nil {
		t.Error(err)
	}
}

func TestValidateNamesWhatIsWrong(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*Config)
		want   string
	}{
		{"odd database", func(c *Config) { c.Names.Database = "a.b" }, `database: "a.b" is not an identifier`},
		{"injection", func(c *Config) { c.Names.Usage = "u`; DROP TABLE x" }, "usage table"},
		{"digit first", func(c *Config) { c.Names.Signals = "1st" }, "signals table"},
		{"line end", func(c *Config) { c.Names.Metrics = "a\n" }, "metrics table"},
		{"too long", func(c *Config) { c.Names.Metrics = strings.Repeat("a", 129) }, "metrics table"},
		{"twice", func(c *Config) { c.Names.Metrics = c.Names.Usage }, "both are called"},
		{"table like a view", func(c *Config) { c.Names.Metrics = c.Names.Signals + "_view" }, "both are called"},
		{"cluster", func(c *Config) { c.Cluster = "a b" }, "cluster"},
		{"negative", func(c *Config) { c.Retention.Usage = -time.Hour }, "keep-usage"},
		{"part of a second", func(c *Config) { c.Retention.Signals = time.Millisecond }, "keep-signals"},
		{"zero threshold", func(c *Config) { c.Thresholds.Rejections = 0 }, "signal-rejections"},
		{"no number", func(c *Config) { c.Thresholds.ThrottledSeconds = math.NaN() }, "signal-throttled-seconds"},
		{"infinite", func(c *Config) { c.Thresholds.OOMKillBytes = math.Inf(1) }, "signal-oom-kill-bytes"},
	} {
		config := DefaultConfig()
		test.change(&config)

		if err := config.Validate(); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want an error with %q", test.name, err, test.want)
		}

		if _, err := Statements(config); err == nil {
			t.Errorf("%s: statements are made of it", test.name)
		}
	}
}

// Kong validates the flags before the database is known, which is one of the connection's.
func TestDatabaseComesLate(t *testing.T) {
	config := DefaultConfig()
	config.Names.Database = ""

	if err := config.Validate(); err != nil {
		t.Error(err)
	}

	if _, err := Statements(config); err == nil || !strings.Contains(err.Error(), "no database is named") {
		t.Errorf("statements without a database give %v", err)
	}
}

func TestFlagsDefault(t *testing.T) {
	var flags struct {
		Schema Config `embed:""`
	}

	parser, err := kong.New(&flags)
	if err != nil {
		t.Fatal(err)
	}

	if _, err := parser.Parse(nil); err != nil {
		t.Fatal(err)
	}

	want := DefaultConfig()
	want.Names.Database = ""

	if flags.Schema != want {
		t.Errorf("the flags default to %+v, DefaultConfig to %+v", flags.Schema, want)
	}
}

func TestStatementsForACluster(t *testing.T) {
	config := DefaultConfig()
	config.Cluster = "main"
	config.Retention.Signals = 0

	statements, err := Statements(config)
	if err != nil {
		t.Fatal(err)
	}

	for _, statement := range statements {
		if !strings.Contains(statement, "ON CLUSTER `main`") {
			t.Errorf("not on the cluster: %s", statement)
		}

		if strings.Contains(statement, "ENGINE") && !strings.Contains(statement, "ENGINE = Replicated") {
			t.Errorf("not replicated: %s", statement)
		}

		if strings.Contains(statement, config.Names.Signals+"`") && strings.Contains(statement, "TTL") {
			t.Errorf("has a TTL: %s", statement)
		}
	}
}

func TestEachViewFillsAllColumns(t *testing.T) {
	config := DefaultConfig()

	for _, v := range config.views() {
		if len(v.expressions) != len(v.target.columns) {
			t.Errorf("view %s has %d expressions for %d columns", v.name, len(v.expressions), len(v.target.columns))
		}

		for _, column := range v.target.columns {
			if v.expressions[column.name] == "" {
				t.Errorf("view %s has no expression for column %s", v.name, column.name)
			}
		}
	}
}

func TestValidKey(t *testing.T) {
	for key, want := range map[string]bool{
		"a/b": true, "prod/orders-db": true, "A.1_x/y": true,
		"": false, "a": false, "/b": false, "a/": false, "a/b/c": false, "-a/b": false, "a/b-": false, "a/b\n": false, "a /b": false,
		"a/" + strings.Repeat("b", 251): true, "a/" + strings.Repeat("b", 252): false,
	} {
		if ValidKey(key) != want {
			t.Errorf("%q: want %t", key, want)
		}
	}
}

func FuzzQuote(f *testing.F) {
	for _, seed := range []string{"", "a", "`", "'", `\`, "\\`", `\'`, "a\x00b"} {
		f.Add(seed)
	}

	f.Fuzz(func(t *testing.T, text string) {
		if got, ok := unquote(Quote(text), '`'); !ok || got != text {
			t.Errorf("Quote(%q) = %q reads as %q", text, Quote(text), got)
		}

		if got, ok := unquote(QuoteString(text), '\''); !ok || got != text {
			t.Errorf("QuoteString(%q) = %q reads as %q", text, QuoteString(text), got)
		}
	})
}

// unquote reads a quoted text as ClickHouse does, and reports whether the quotes end where the text does.
func unquote(quoted string, quote byte) (string, bool) {
	if len(quoted) < 2 || quoted[0] != quote {
		return "", false
	}

	var text []byte

	for i := 1; i < len(quoted); i++ {
		switch quoted[i] {
		case quote:
			return string(text), i == len(quoted)-1
		case '\\':
			i++
			if i == len(quoted) {
				return "", false
			}
		}

		text = append(text, quoted[i])
	}

	return "", false
}
