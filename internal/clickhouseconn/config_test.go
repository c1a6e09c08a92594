package clickhouseconn

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"
	"github.com/google/go-cmp/cmp"
)

func parse(t *testing.T, args ...string) (Config, error) {
	t.Helper()

	var flags struct {
		ClickHouse Config `embed:""`
	}

	parser, err := kong.New(&flags, kong.Exit(func(int) { t.Fatal("kong wants to exit") }))
	if err != nil {
		t.Fatal(err)
	}

	_, err = parser.Parse(args)

	return flags.ClickHouse, err
}

func TestFlagsDefault(t *testing.T) {
	t.Setenv("TIDEMARK_CLICKHOUSE_ADDR", "")

	if err := os.Unsetenv("TIDEMARK_CLICKHOUSE_ADDR"); err != nil {
		t.Fatal(err)
	}

	got, err := parse(t)
	if err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff(DefaultConfig(), got); diff != "" {
		t.Errorf("flags and DefaultConfig differ (-DefaultConfig +flags):\n%s", diff)
	}
}

func TestFlagsFromEnvironment(t *testing.T) {
	for name, value := range map[string]string{
		"ADDR": "a:9000,b:9001", "DATABASE": "d", "USERNAME": "u", "PASSWORD": "p", "TLS": "true", "TLS_CA": "ca.pem",
		"TLS_SERVER_NAME": "s", "DIAL_TIMEOUT": "1s", "READ_TIMEOUT": "2s", "COMPRESSION": "none", "MAX_CONNS": "3",
	} {
		t.Setenv("TIDEMARK_CLICKHOUSE_"+name, value)
	}

	got, err := parse(t)
	if err != nil {
		t.Fatal(err)
	}

	want := Config{
		Addr: []string{"a:9000", "b:9001"}, Database: "d", Username: "u", Password: "p",
		TLS:         TLS{Enabled: true, CAFile: "ca.pem", ServerName: "s"},
		DialTimeout: time.Second, ReadTimeout: 2 * time.Second, Compression: "none", MaxConns: 3,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestKongValidates(t *testing.T) {
	for args, want := range map[string]string{
		"--clickhouse-addr=nowhere":    `"nowhere" is not host:port`,
		"--clickhouse-addr=:9000":      "is not host:port",
		"--clickhouse-addr=a:0":        "the port must be a number from 1 to 65535",
		"--clickhouse-addr=a:99999":    "the port must be a number from 1 to 65535",
		"--clickhouse-addr=a:http":     "the port must be a number from 1 to 65535",
		"--clickhouse-dial-timeout=0s": "clickhouse-dial-timeout",
		"--clickhouse-compression=zip": "clickhouse-compression",
		"--clickhouse-tls-ca=x":        "clickhouse-tls: must be on",
		"--clickhouse-tls --clickhouse-tls-ca=x --clickhouse-tls-skip-verify": "set only one",
		"--clickhouse-password=x --clickhouse-password-file=y":                "set only one",
		"--clickhouse-max-conns=0":                                            "clickhouse-max-conns",
		"--clickhouse-database=":                                              "clickhouse-database",
	} {
		if _, err := parse(t, strings.Fields(args)...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want an error with %q", args, err, want)
		}
	}
}

func TestValidateWithoutAddress(t *testing.T) {
	config := DefaultConfig()
	config.Addr = nil

	if err := config.Validate(); err == nil || !strings.Contains(err.Error(), "at least one server") {
		t.Errorf("got %v", err)
	}
}

func TestSecretNeverPrints(t *testing.T) {
	config := DefaultConfig()
	config.Password = "hunter2"

	var log bytes.Buffer

	slog.New(slog.NewTextHandler(&log, nil)).Info("x", slog.Any("config", config), slog.Any("password", config.Password))
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", slog.Any("config", config), slog.Any("password", config.Password))

	document, err := json.Marshal(config) //nolint:musttag // nobody does, but it must not tell
	if err != nil {
		t.Fatal(err)
	}

	all := fmt.Sprintf("%v %+v %#v %s %q %v", config, config, config, config.Password, config.Password, &config) +
		log.String() + string(document)
	if strings.Contains(all, "hunter2") {
		t.Errorf("the secret prints: %s", all)
	}

	if !strings.Contains(all, redacted) || Secret("").String() != "" {
		t.Errorf("it does not show whether there is a secret: %s", all)
	}
}

func TestPasswordFile(t *testing.T) {
	config := DefaultConfig()
	config.PasswordFile = filepath.Join(t.TempDir(), "password")

	if _, err := Open(config); err == nil || !strings.Contains(err.Error(), "clickhouse-password-file") {
		t.Errorf("a missing file gives %v", err)
	}

	if err := os.WriteFile(config.PasswordFile, []byte("p ss\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}

	if got, err := config.password(); err != nil || got != "p ss" {
		t.Errorf("got %q, %v", got, err)
	}
}
