package clickhouseconn

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
)

// connMaxLifetime bounds how long a connection is kept, so that a server that comes back to the head of the list gets
// its clients again.
const connMaxLifetime = 10 * time.Minute

// Open returns a pool of connections. It reads the password and certificate files but dials nothing: a server that is
// away is an error of the first query, not of Open. The caller closes the pool.
func Open(config Config) (driver.Conn, error) {
	options, err := config.options()
	if err != nil {
		return nil, err
	}

	conn, err := clickhouse.Open(options)
	if err != nil {
		return nil, fmt.Errorf("open a ClickHouse pool for %s: %w", strings.Join(config.Addr, ","), err)
	}

	return conn, nil
}

// options translates the settings. The session's database is the user's own and not Config.Database, which
// "tidemark schema apply" is yet to create; all of Tidemark's queries name the database of each table.
func (c *Config) options() (*clickhouse.Options, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}

	password, err := c.password()
	if err != nil {
		return nil, err
	}

	tlsConfig, err := c.TLS.clientConfig()
	if err != nil {
		return nil, err
	}

	dialer := &dialer{tls: tlsConfig, timeout: c.DialTimeout}

	return &clickhouse.Options{
		Protocol:         clickhouse.Native,
		Addr:             c.Addr,
		Auth:             clickhouse.Auth{Username: c.Username, Password: password},
		TLS:              tlsConfig,
		DialContext:      dialer.connect,
		DialStrategy:     dialer.strategy,
		DialTimeout:      c.DialTimeout * time.Duration(len(c.Addr)),
		ReadTimeout:      c.ReadTimeout,
		Compression:      c.compression(),
		MaxOpenConns:     c.MaxConns,
		MaxIdleConns:     c.MaxConns,
		ConnMaxLifetime:  connMaxLifetime,
		ConnOpenStrategy: clickhouse.ConnOpenInOrder,
	}, nil
}

func (c *Config) password() (string, error) {
	if c.PasswordFile == "" {
		return string(c.Password), nil
	}

	content, err := os.ReadFile(c.PasswordFile)
	if err != nil {
		return "", fmt.Errorf("clickhouse-password-file: %w", err)
	}

	return strings.TrimRight(string(content), "\r\n"), nil
}

func (c *Config) compression() *clickhouse.Compression {
	if c.Compression == CompressionNone {
		return nil
	}

	return &clickhouse.Compression{Method: clickhouse.CompressionLZ4}
}
