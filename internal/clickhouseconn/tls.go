package clickhouseconn

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
)

// TLS says whether and how the connection to ClickHouse is encrypted.
type TLS struct {
	// Enabled turns TLS on.
	Enabled bool `env:"TIDEMARK_CLICKHOUSE_TLS" help:"Encrypt the connection to ClickHouse." name:"clickhouse-tls"`
	// CAFile holds the certificates, in PEM, that may sign the server's; empty means the system's.
	CAFile string `env:"TIDEMARK_CLICKHOUSE_TLS_CA" help:"PEM file of the authorities that may sign the server's certificate." name:"clickhouse-tls-ca" placeholder:"FILE"`
	// ServerName is the name the certificate must carry; empty means the host that was dialled.
	ServerName string `env:"TIDEMARK_CLICKHOUSE_TLS_SERVER_NAME" help:"Name that the server's certificate must carry." name:"clickhouse-tls-server-name"`
	// SkipVerify accepts every certificate.
	SkipVerify bool `env:"TIDEMARK_CLICKHOUSE_TLS_SKIP_VERIFY" help:"Accept any certificate (not safe)." name:"clickhouse-tls-skip-verify"`
}

// Validate reports settings that have no effect or contradict each other.
func (t *TLS) Validate() error {
	switch {
	case !t.Enabled && (t.CAFile != "" || t.ServerName != "" || t.SkipVerify):
		return errors.New("clickhouse-tls: must be on for the other clickhouse-tls settings to have an effect")
	case t.SkipVerify && t.CAFile != "":
		return errors.New("clickhouse-tls-ca and clickhouse-tls-skip-verify: set only one of them")
	default:
		return nil
	}
}

// clientConfig returns nil when TLS is off.
func (t *TLS) clientConfig() (*tls.Config, error) {
	if !t.Enabled {
		return nil, nil //nolint:nilnil // no TLS is a setting, not a failure
	}

	config := &tls.Config{
		MinVersion:         tls.VersionTLS12,
		ServerName:         t.ServerName,
		InsecureSkipVerify: t.SkipVerify, //nolint:gosec // the user asked for it by a flag that says so
	}

	if t.CAFile == "" {
		return config, nil
	}

	pem, err := os.ReadFile(t.CAFile)
	if err != nil {
		return nil, fmt.Errorf("clickhouse-tls-ca: %w", err)
	}

	config.RootCAs = x509.NewCertPool()
	if !config.RootCAs.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("clickhouse-tls-ca: %s holds no certificate in PEM", t.CAFile)
	}

	return config, nil
}
