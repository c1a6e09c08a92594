package demo_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/internal/clickhousedev/realserver"
)

// requireEngine skips the test where no ClickHouse can be started.
func requireEngine(t *testing.T) {
	t.Helper()

	if os.Getenv("CHDB_LIB_PATH") != "" {
		return
	}

	_, err := realserver.Find(t.Context(), slog.New(slog.DiscardHandler))
	if err == nil {
		return
	}

	if os.Getenv("TIDEMARK_REQUIRE_CLICKHOUSE") == "1" {
		require.NoError(t, err, "and CHDB_LIB_PATH is not set")
	}

	t.Skip("no ClickHouse: CHDB_LIB_PATH is not set and", err)
}

// built is the program, built once for all tests.
//
//nolint:gochecknoglobals // built once
var built struct {
	sync.Once

	directory string
	err       error
}

func build() {
	if built.directory, built.err = os.MkdirTemp("", "tidemark-test-"); built.err != nil {
		return
	}

	command := exec.CommandContext(context.Background(), "go", "build", "-o", built.directory, "../../cmd/tidemark")

	if output, err := command.CombinedOutput(); err != nil {
		built.err = fmt.Errorf("build the program: %w: %s", err, output)
	}
}

// program prepares a run of the program. Its temporary files go into the returned directory.
func program(t *testing.T, args ...string) (command *exec.Cmd, directory string) {
	t.Helper()

	built.Do(build)
	require.NoError(t, built.err)

	directory = t.TempDir()
	command = exec.CommandContext(t.Context(), filepath.Join(built.directory, "tidemark"), args...)
	// An empty variable is as good as none: the demonstration starts a ClickHouse of its own.
	command.Env = append(os.Environ(), "TMPDIR="+directory, "TIDEMARK_CLICKHOUSE_ADDR=")

	return command, directory
}
