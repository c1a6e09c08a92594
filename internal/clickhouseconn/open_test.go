package clickhouseconn

import (
	"crypto/tls"
	"encoding/pem"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-project/tidemark/internal/clickhousetest"
)

// ask opens a pool and asks one thing.
func ask(t *testing.T, config Config) error {
	t.Helper()

	conn, err := Open(config)
	if err != nil {
		t.Fatal(err)
	}

	defer func() {
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
	}()

	var one uint8

	return conn.QueryRow(t.Context(), "SELECT 1").Scan(&one)
}

func TestOpen(t *testing.T) {
	server := clickhousetest.Start(t)

	for _, compression := range []string{CompressionLZ4, CompressionNone} {
		config := DefaultConfig()
		config.Addr = []string{"127.0.0.1:1", server.Addr}
		config.Username, config.Password = server.Username, Secret(server.Password)
		config.Database = "not_made_yet"
		config.Compression = compression

		if err := ask(t, config); err != nil {
			t.Errorf("%s: %v", compression, err)
		}
	}
}

func TestOpenIsLazy(t *testing.T) {
	config := DefaultConfig()
	config.Addr = []string{"127.0.0.1:1"}
	config.DialTimeout = time.Second

	if err := ask(t, config); err == nil {
		t.Error("a server that is away is no error of the query")
	}
}

func TestOpenOfBadSettings(t *testing.T) {
	garbage := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(garbage, []byte("no PEM"), 0o600); err != nil {
		t.Fatal(err)
	}

	for want, change := range map[string]func(*Config){
		"is not host:port":   func(c *Config) { c.Addr = []string{"x"} },
		"clickhouse-tls-ca:": func(c *Config) { c.TLS = TLS{Enabled: true, CAFile: garbage + ".missing"} },
		"no certificate":     func(c *Config) { c.TLS = TLS{Enabled: true, CAFile: garbage} },
	} {
		config := DefaultConfig()
		change(&config)

		if _, err := Open(config); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error with %q", err, want)
		}
	}
}

// TestOldServer logs in to a real server with a password and by TLS.
func TestOldServer(t *testing.T) {
	server := clickhousetest.Debian(t)
	login := server.WithPassword()

	config := DefaultConfig()
	config.Addr = []string{login.Addr}
	config.Username, config.Password = login.Username, Secret(login.Password)

	if err := ask(t, config); err != nil {
		t.Errorf("with the password: %v", err)
	}

	config.Password = "hunter2"
	if err := ask(t, config); err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("a wrong password gives %v", err)
	}

	secure, trusted := server.Secure()
	config = DefaultConfig()
	config.Addr = []string{secure.Addr}
	config.TLS = TLS{Enabled: true, ServerName: trusted.ServerName, SkipVerify: true}

	if err := ask(t, config); err != nil {
		t.Errorf("by TLS, without a look at the certificate: %v", err)
	}

	config.TLS.SkipVerify = false
	if err := ask(t, config); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("an unknown authority gives %v", err)
	}

	config.TLS.CAFile = filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(config.TLS.CAFile, presented(t, secure.Addr), 0o600); err != nil {
		t.Fatal(err)
	}

	if err := ask(t, config); err != nil {
		t.Errorf("by TLS, with the authority: %v", err)
	}
}

// presented returns the certificate that a server shows, which in the tests signs itself.
func presented(t *testing.T, addr string) []byte {
	t.Helper()

	config, err := (&TLS{Enabled: true, SkipVerify: true}).clientConfig()
	if err != nil {
		t.Fatal(err)
	}

	dialer := tls.Dialer{Config: config}

	dialled, err := dialer.DialContext(t.Context(), "tcp", addr)
	if err != nil {
		t.Fatal(err)
	}

	conn, ok := dialled.(*tls.Conn)
	if !ok {
		t.Fatalf("got a %T", dialled)
	}

	defer func() { _ = conn.Close() }()

	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: conn.ConnectionState().PeerCertificates[0].Raw})
}
