// Package clickhouseconn holds how Tidemark's processes reach ClickHouse: the settings, their flags and environment
// variables, and the opening of a connection pool.
package clickhouseconn

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"
)

// Config says where ClickHouse is and how to talk to it. The tags make it a set of kong flags.
type Config struct {
	// Addr are the servers, "host:port" of the native protocol. The first that answers is used.
	Addr []string `default:"localhost:9000" env:"TIDEMARK_CLICKHOUSE_ADDR" help:"ClickHouse servers (native protocol); the first that answers is used." name:"clickhouse-addr" placeholder:"HOST:PORT"`
	// Database is where Tidemark's tables are. It need not exist for a connection to be made.
	Database string `default:"tidemark" env:"TIDEMARK_CLICKHOUSE_DATABASE" help:"Database of Tidemark's tables." name:"clickhouse-database"`
	// Username is who logs in.
	Username string `default:"default" env:"TIDEMARK_CLICKHOUSE_USERNAME" help:"ClickHouse user." name:"clickhouse-username"`
	// Password is the user's password; empty for none.
	Password Secret `env:"TIDEMARK_CLICKHOUSE_PASSWORD" help:"Password of the user. Better set by the environment or by a file." name:"clickhouse-password" placeholder:"SECRET"`
	// PasswordFile is a file that holds the password instead; a line end at its end is cut off.
	PasswordFile string `env:"TIDEMARK_CLICKHOUSE_PASSWORD_FILE" help:"File that holds the password of the user." name:"clickhouse-password-file" placeholder:"FILE"`
	// TLS says whether and how the connection is encrypted.
	TLS TLS `embed:""`
	// DialTimeout bounds how long a server may take to come to a connection. A caller waits as long for a free one, for each
	// of the servers.
	DialTimeout time.Duration `default:"5s" env:"TIDEMARK_CLICKHOUSE_DIAL_TIMEOUT" help:"How long connecting may take." name:"clickhouse-dial-timeout"`
	// ReadTimeout bounds how long the server may be silent in the middle of an answer.
	ReadTimeout time.Duration `default:"30s" env:"TIDEMARK_CLICKHOUSE_READ_TIMEOUT" help:"How long the server may be silent in an answer." name:"clickhouse-read-timeout"`
	// Compression is CompressionLZ4 or CompressionNone.
	Compression string `default:"lz4" enum:"lz4,none" env:"TIDEMARK_CLICKHOUSE_COMPRESSION" help:"Compression of the traffic: ${enum}." name:"clickhouse-compression"`
	// MaxConns bounds the connections of this process.
	MaxConns int `default:"8" env:"TIDEMARK_CLICKHOUSE_MAX_CONNS" help:"Most connections that are open at once." name:"clickhouse-max-conns"`
}

// The compressions of Config.Compression.
const (
	// CompressionLZ4 saves traffic at little cost.
	CompressionLZ4 = "lz4"
	// CompressionNone sends all bytes as they are.
	CompressionNone = "none"
)

// DefaultConfig returns what the flags default to.
func DefaultConfig() Config {
	return Config{
		Addr:        []string{"localhost:9000"},
		Database:    "tidemark",
		Username:    "default",
		DialTimeout: 5 * time.Second,
		ReadTimeout: 30 * time.Second,
		Compression: CompressionLZ4,
		MaxConns:    8,
	}
}

// Validate reports everything that is wrong with the settings, in terms of their flags. It opens no file and no
// connection.
func (c *Config) Validate() error {
	var errs []error

	if len(c.Addr) == 0 {
		errs = append(errs, errors.New("clickhouse-addr: at least one server is needed"))
	}

	for _, addr := range c.Addr {
		errs = append(errs, validateAddr(addr))
	}

	if c.Database == "" {
		errs = append(errs, errors.New("clickhouse-database: must not be empty"))
	}

	if c.Password != "" && c.PasswordFile != "" {
		errs = append(errs, errors.New("clickhouse-password and clickhouse-password-file: set only one of them"))
	}

	errs = append(errs, c.TLS.Validate(), c.validateLimits())

	return errors.Join(errs...)
}

func (c *Config) validateLimits() error {
	var errs []error

	if c.DialTimeout <= 0 {
		errs = append(errs, fmt.Errorf("clickhouse-dial-timeout: must be more than 0, not %s", c.DialTimeout))
	}

	if c.ReadTimeout <= 0 {
		errs = append(errs, fmt.Errorf("clickhouse-read-timeout: must be more than 0, not %s", c.ReadTimeout))
	}

	if c.Compression != CompressionLZ4 && c.Compression != CompressionNone {
		errs = append(errs, fmt.Errorf("clickhouse-compression: must be lz4 or none, not %q", c.Compression))
	}

	if c.MaxConns < 1 {
		errs = append(errs, fmt.Errorf("clickhouse-max-conns: must be at least 1, not %d", c.MaxConns))
	}

	return errors.Join(errs...)
}

func validateAddr(addr string) error {
	host, port, err := net.SplitHostPort(addr)
	if err != nil || host == "" {
		return fmt.Errorf("clickhouse-addr: %q is not host:port", addr)
	}

	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return fmt.Errorf("clickhouse-addr: %q: the port must be a number from 1 to 65535", addr)
	}

	return nil
}
