package main

import (
	"time"

	"github.com/tidemark-project/tidemark/clients/tidemark"
)

// serverFlags say which server a command talks to, and how.
type serverFlags struct {
	Server string `default:"localhost:8433" env:"TIDEMARK_SERVER" help:"Address of the server."`

	TLS           bool   `name:"tls" env:"TIDEMARK_TLS" help:"Use TLS. Any of the other TLS flags turns it on, too."`
	TLSCA         string `name:"tls-ca" env:"TIDEMARK_TLS_CA" placeholder:"FILE" help:"Authorities that may have signed the server's certificate; the system's when not given."`
	TLSCert       string `name:"tls-cert" env:"TIDEMARK_TLS_CERT" placeholder:"FILE" help:"Client certificate."`
	TLSKey        string `name:"tls-key" env:"TIDEMARK_TLS_KEY" placeholder:"FILE" help:"Key of the client certificate."`
	TLSServerName string `name:"tls-server-name" env:"TIDEMARK_TLS_SERVER_NAME" placeholder:"NAME" help:"Name that the server's certificate must bear; that of the address when not given."`

	// options are added; a test connects to a server in the process by them.
	options []tidemark.Option
}

// dial returns a client. It does not wait for the server.
func (f *serverFlags) dial() (*tidemark.Client, error) {
	files := tidemark.TLS{CAFile: f.TLSCA, CertFile: f.TLSCert, KeyFile: f.TLSKey, ServerName: f.TLSServerName}

	transport := tidemark.WithPlaintext()
	if f.TLS || files != (tidemark.TLS{}) {
		transport = tidemark.WithTLS(files)
	}

	return tidemark.Dial(f.Server, append([]tidemark.Option{
		transport, tidemark.WithUserAgent("tidemark/" + version),
	}, f.options...)...)
}

// callFlags are those of commands that ask once.
type callFlags struct {
	Timeout time.Duration `default:"10s" help:"How long to wait for the answer."`
	JSON    bool          `name:"json" help:"Print JSON, one object per line."`
}
