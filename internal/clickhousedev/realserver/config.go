package realserver

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"maps"
	"net"
	"os"
	"path/filepath"
	"text/template"
	"time"
)

// Config says how to run a server.
type Config struct {
	// DataDir is where tables, logs and the configuration are kept.
	DataDir string
	// Listen is the address, host:port, of the native protocol.
	Listen string
	// Password is that of the user "default".
	Password string
	// Users are further users and their passwords.
	Users map[string]string
	// StopTimeout is how long the server may take to stop before it is killed; 0 means 15 seconds.
	StopTimeout time.Duration
	// TLS adds a port for the native protocol over TLS.
	TLS TLS
}

// TLS says where to serve the protocol over TLS, and with which certificate. Without a port there is no TLS.
type TLS struct {
	Port             string
	Certificate, Key string
	DHParams         string
}

var serverTemplate = template.Must(template.New("config.xml").Funcs(template.FuncMap{"x": escape}).Parse(
	`<{{.Root}}>
  <logger><level>information</level><log>{{x .Dir}}/server.log</log><errorlog>{{x .Dir}}/server.err.log</errorlog></logger>
  <listen_host>{{x .Host}}</listen_host>
  <tcp_port>{{x .Port}}</tcp_port>
{{- if .TLS.Port}}
  <tcp_port_secure>{{x .TLS.Port}}</tcp_port_secure>
  <openSSL><server>
    <certificateFile>{{x .TLS.Certificate}}</certificateFile>
    <privateKeyFile>{{x .TLS.Key}}</privateKeyFile>
    {{- if .TLS.DHParams}}
    <dhParamsFile>{{x .TLS.DHParams}}</dhParamsFile>
    {{- end}}
    <verificationMode>none</verificationMode>
    <cacheSessions>true</cacheSessions>
  </server></openSSL>
{{- end}}
  <path>{{x .Dir}}/data/</path>
  <tmp_path>{{x .Dir}}/tmp/</tmp_path>
  <user_files_path>{{x .Dir}}/user_files/</user_files_path>
  <format_schema_path>{{x .Dir}}/format_schemas/</format_schema_path>
  <users_config>{{x .Dir}}/users.xml</users_config>
  <default_profile>default</default_profile>
  <default_database>default</default_database>
  <mark_cache_size>67108864</mark_cache_size>
  <max_concurrent_queries>100</max_concurrent_queries>
</{{.Root}}>
`))

var usersTemplate = template.Must(template.New("users.xml").Funcs(template.FuncMap{"x": escape}).Parse(
	`<{{.Root}}>
  <profiles><default><load_balancing>random</load_balancing></default></profiles>
  <quotas><default></default></quotas>
  <users>
{{- range $name, $password := .Users}}
    <{{$name}}>
      <password>{{x $password}}</password>
      <networks><ip>::/0</ip></networks>
      <profile>default</profile><quota>default</quota>
    </{{$name}}>
{{- end}}
  </users>
</{{.Root}}>
`))

// write makes the data directory and the configuration in it, and returns the path of the latter.
func (c Config) write(b Binary) (string, error) {
	dir, err := filepath.Abs(c.DataDir)
	if err != nil {
		return "", fmt.Errorf("data directory: %w", err)
	}
	host, port, err := net.SplitHostPort(c.Listen)
	if err != nil {
		return "", fmt.Errorf("address to listen on: %w", err)
	}
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return "", fmt.Errorf("data directory: %w", err)
	}
	users := map[string]string{"default": c.Password}
	maps.Copy(users, c.Users)
	values := map[string]any{
		"Root": b.root(), "Dir": dir, "Host": host, "Port": port, "TLS": c.TLS, "Users": users,
	}
	for _, t := range []*template.Template{serverTemplate, usersTemplate} {
		var out bytes.Buffer
		if err := t.Execute(&out, values); err != nil {
			return "", fmt.Errorf("write %s: %w", t.Name(), err)
		}
		if err := os.WriteFile(filepath.Join(dir, t.Name()), out.Bytes(), 0o600); err != nil {
			return "", fmt.Errorf("write %s: %w", t.Name(), err)
		}
	}
	return filepath.Join(dir, serverTemplate.Name()), nil
}

// root is the name of the outermost element, which has changed in the course of time.
func (b Binary) root() string {
	if b.Recent() {
		return program
	}
	return "yandex"
}

func escape(s string) (string, error) {
	var out bytes.Buffer
	if err := xml.EscapeText(&out, []byte(s)); err != nil {
		return "", fmt.Errorf("escape: %w", err)
	}
	return out.String(), nil
}
