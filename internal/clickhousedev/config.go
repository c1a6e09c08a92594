package clickhousedev

import (
	"log/slog"
	"os"
	"time"

	"github.com/tidemark-project/tidemark/internal/clickhousedev/chdb"
)

const (
	defaultUser = "default"
	// flushRows and flushBytes bound the rows that an INSERT gathers before it writes them. They are ClickHouse's own.
	flushRows  = 1 << 20
	flushBytes = 256 << 20
	// handshakeTimeout bounds the time that a client may take to say who it is.
	handshakeTimeout = 30 * time.Second
	// progressInterval is the time between signs of life while a query runs and has no rows to send.
	progressInterval = 200 * time.Millisecond
)

// Config says what server to make. Its zero value makes one with a temporary data directory and no password.
type Config struct {
	// LibPath is the path of libchdb.so; empty means the value of CHDB_LIB_PATH.
	LibPath string
	// DataDir is where tables are kept; empty means a temporary directory that Close removes.
	DataDir string
	// User is the name of the only user; empty means "default".
	User string
	// Password is that user's password.
	Password string
	// Logger gets connections and failed queries; nil means slog.Default.
	Logger *slog.Logger

	// engine replaces libchdb in tests.
	engine engine
}

func (c Config) withDefaults() Config {
	if c.LibPath == "" {
		c.LibPath = os.Getenv(chdb.LibraryEnv)
	}
	if c.User == "" {
		c.User = defaultUser
	}
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	return c
}
