package clickhousetest

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/tidemark-project/tidemark/internal/clickhousedev/realserver"
)

// RequireDebianEnv names a variable that, if it is 1, makes tests fail instead of being skipped where Debian's server is not installed.
const RequireDebianEnv = "TIDEMARK_REQUIRE_DEBIAN_CLICKHOUSE"

// debianUser has a password, which is not easy to quote, in servers that Debian starts.
const (
	debianUser     = "keeper"
	debianPassword = "p<ss>&'w\"rd" //nolint:gosec // It opens nothing but those.
)

// DebianServer is a server of version 18.16, from Debian's package clickhouse-server. It is old: it knows no TTL, no
// window functions and no parameters of queries. But what it does on the wire is what a server does.
type DebianServer struct {
	tb      testing.TB
	binary  realserver.Binary
	config  realserver.Config
	process *realserver.Process
	client  *tls.Config
	secure  string
}

// Debian starts a server, which is stopped when the test has ended. The test is skipped if Debian's server is not
// installed, or fails if TIDEMARK_REQUIRE_DEBIAN_CLICKHOUSE=1.
func Debian(tb testing.TB) *DebianServer {
	tb.Helper()
	binary, err := realserver.FindOld(context.Background())
	if err != nil {
		absent(tb, RequireDebianEnv, err)
	}
	s := &DebianServer{tb: tb, binary: binary, config: realserver.Config{
		DataDir: tb.TempDir(),
		// It waits for queries that run, and tests leave some that have no end.
		StopTimeout: 2 * time.Second,
		Users:       map[string]string{debianUser: debianPassword},
	}}
	if s.config.Listen, err = freeAddress(); err != nil {
		tb.Fatal(err)
	}
	if s.secure, err = freeAddress(); err != nil {
		tb.Fatal(err)
	}
	if s.client, err = s.certify(); err != nil {
		tb.Fatal(err)
	}
	s.Start()
	tb.Cleanup(s.Stop)
	return s
}

// Start starts the server again, on the same ports and with the same data.
func (s *DebianServer) Start() {
	s.tb.Helper()
	p, err := realserver.Start(context.Background(), s.binary, s.config)
	if err != nil {
		s.tb.Fatalf("start Debian's ClickHouse: %v", err)
	}
	s.process = p
}

// Stop stops the server as an operator does. It does nothing if the server is stopped.
func (s *DebianServer) Stop() {
	s.tb.Helper()
	s.end((*realserver.Process).Stop)
}

// Kill ends the server as a crash does.
func (s *DebianServer) Kill() {
	s.tb.Helper()
	s.end((*realserver.Process).Kill)
}

func (s *DebianServer) end(how func(*realserver.Process) error) {
	s.tb.Helper()
	if s.process == nil {
		return
	}
	if err := how(s.process); err != nil {
		s.tb.Errorf("stop Debian's ClickHouse: %v", err)
	}
	s.process = nil
}

// Address is that of the user "default", who has no password.
func (s *DebianServer) Address() Address {
	return Address{Addr: s.config.Listen, Database: defaultDatabase, Username: defaultUser}
}

// WithPassword is the address of a user who has a password.
func (s *DebianServer) WithPassword() Address {
	a := s.Address()
	a.Username, a.Password = debianUser, debianPassword
	return a
}

// Secure is the address of the port that speaks TLS, and the configuration of clients that trust its certificate.
func (s *DebianServer) Secure() (Address, *tls.Config) {
	a := s.Address()
	a.Addr = s.secure
	return a, s.client.Clone()
}

// certify makes a certificate for the server.
func (s *DebianServer) certify() (*tls.Config, error) {
	certificate, key, client, err := selfSigned(s.tb.TempDir())
	if err != nil {
		return nil, fmt.Errorf("make a certificate: %w", err)
	}
	_, port, err := net.SplitHostPort(s.secure)
	if err != nil {
		return nil, fmt.Errorf("secure port: %w", err)
	}
	s.config.TLS = realserver.TLS{Port: port, Certificate: certificate, Key: key}
	return client, nil
}
