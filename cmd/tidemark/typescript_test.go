package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/recommender/policies"
	"github.com/tidemark-project/tidemark/recommender/usage"
	"github.com/tidemark-project/tidemark/server"
)

// TestTypeScriptClient generates a TypeScript client from the API as any user would, compiles it with full type checks
// and runs it against a server.
func TestTypeScriptClient(t *testing.T) {
	buf := os.Getenv("TIDEMARK_TYPESCRIPT_BUF")
	if buf == "" {
		t.Skip("make test-typescript runs this test: it needs buf and npm packages")
	}

	address := startServer(t)
	project := t.TempDir()

	copyFiles(t, "testdata/typescript", project)

	root, err := filepath.Abs("../..")
	require.NoError(t, err)

	generate := fmt.Sprintf(`{"version":"v2","plugins":[{"local":%q,"out":%q,"opt":["target=ts","import_extension=js"],"include_imports":true}]}`,
		filepath.Join(project, "node_modules/.bin/protoc-gen-es"), filepath.Join(project, "gen"))

	command(t, project, "npm", "install", "--silent", "--no-audit", "--no-fund")
	command(t, root, buf, "generate", "--template", generate)
	command(t, project, "node_modules/.bin/tsc")

	var result struct {
		Outcome tidemarkv1.EnqueueOutcome `json:"outcome"`
		Watched string                    `json:"watched"`
		Got     string                    `json:"got"`
		Refusal string                    `json:"refusal"`
	}

	output := command(t, project, "node", "dist/client.js", "http://"+address, "prod/orders-db")
	require.NoError(t, json.Unmarshal(output, &result), "%s", output)
	require.Equal(t, tidemarkv1.EnqueueOutcome_ENQUEUE_OUTCOME_QUEUED, result.Outcome)
	require.Equal(t, "prod/orders-db", result.Watched)
	require.Equal(t, "prod/orders-db", result.Got)
	require.Equal(t, "InvalidArgument", result.Refusal)
}

// startServer runs a server on a free port that knows of no usage, and returns its address.
func startServer(t *testing.T) string {
	t.Helper()

	config := server.DefaultConfig()
	config.Listen, config.HTTPListen = "127.0.0.1:0", ""

	complete, err := config.Complete(t.Context(), server.Dependencies{
		Usage: emptyUsage{}, Inventory: emptyUsage{}, Policies: policies.Default(),
	}, slog.New(slog.DiscardHandler))
	require.NoError(t, err)

	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)

	go func() { done <- complete.Run(ctx) }()

	t.Cleanup(func() {
		stop()
		require.NoError(t, <-done)
	})

	return complete.Addr().String()
}

// emptyUsage knows every service and nothing about any.
type emptyUsage struct{}

func (emptyUsage) Snapshot(_ context.Context, service string, _ usage.Request) (usage.Snapshot, error) {
	return usage.Snapshot{Service: service}, nil
}

func (emptyUsage) List(context.Context) ([]*tidemarkv1.Service, error) { return nil, nil }

func copyFiles(t *testing.T, from, to string) {
	t.Helper()
	require.NoError(t, os.CopyFS(to, os.DirFS(from)))
}

// command runs a program and returns its output.
func command(t *testing.T, directory, program string, arguments ...string) []byte {
	t.Helper()

	var errOut bytes.Buffer

	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()

	cmd := exec.CommandContext(ctx, program, arguments...)
	cmd.Dir, cmd.Stderr = directory, &errOut

	output, err := cmd.Output()
	require.NoError(t, err, "%s %v\n%s%s", program, arguments, output, &errOut)

	return output
}
