package clickhousetest_test

import (
	"testing"

	"github.com/tidemark-project/tidemark/internal/clickhousetest"
)

func TestDebianPassword(t *testing.T) {
	server := clickhousetest.Debian(t)
	if err := server.WithPassword().Open(t).Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	wrong := server.WithPassword()
	wrong.Password += "x"
	wantCode(t, wrong.Open(t).Ping(t.Context()), 193)
}

func TestDebianTLS(t *testing.T) {
	address, config := clickhousetest.Debian(t).Secure()
	options := address.Options()
	options.TLS = config
	if one := scan[uint8](t, connect(t, options), "SELECT 1"); one != 1 {
		t.Fatalf("SELECT 1 is %d", one)
	}
	untrusting := address.Options()
	untrusting.TLS = config.Clone()
	untrusting.TLS.RootCAs = nil
	if err := connect(t, untrusting).Ping(t.Context()); err == nil {
		t.Fatal("a client that does not know the certificate has connected")
	}
}

func TestDebianRestart(t *testing.T) {
	for name, end := range map[string]func(*clickhousetest.DebianServer){
		"stop": (*clickhousetest.DebianServer).Stop,
		"kill": (*clickhousetest.DebianServer).Kill,
	} {
		t.Run(name, func(t *testing.T) {
			server := clickhousetest.Debian(t)
			conn := server.Address().Open(t)
			exec(t, conn, "CREATE TABLE kept (a UInt8) ENGINE = Log", "INSERT INTO kept SELECT 42")
			ended := make(chan error, 1)
			go func() { ended <- conn.Exec(t.Context(), endless("restart")) }()
			waitForQueries(t, conn, "restart", 1)
			end(server)
			if err := <-ended; err == nil {
				t.Fatal("the query has succeeded although its server has ended")
			}
			if err := conn.Ping(t.Context()); err == nil {
				t.Fatal("a server that has ended has answered")
			}
			server.Start()
			if a := scan[uint8](t, server.Address().Open(t), "SELECT a FROM kept"); a != 42 {
				t.Fatalf("after the restart, the table holds %d", a)
			}
		})
	}
}
