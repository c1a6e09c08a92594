package clickhousetest

import (
	"errors"
	"os"
	"testing"

	"github.com/tidemark-project/tidemark/internal/clickhousedev/chdb"
)

// Engine returns the path of the embedded engine's library, for a test that opens the engine on its own. A process
// can have it open once, so the server that Start has given to other tests is stopped; the next Start starts another.
// The test is skipped if there is no library, or fails if TIDEMARK_REQUIRE_CLICKHOUSE=1.
func Engine(tb testing.TB) string {
	tb.Helper()
	path := library()
	if _, err := os.Stat(path); err != nil {
		absent(tb, RequireEnv, errors.Join(chdb.ErrNoLibrary, err))
	}
	if err := Stop(); err != nil {
		tb.Fatalf("stop ClickHouse: %v", err)
	}
	return path
}
