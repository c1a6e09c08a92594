package kubetest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRun(t *testing.T) {
	for name, test := range map[string]struct{ script, want string }{
		"ends at once":     {"echo 'no room' >&2; exit 3", "it ended before it was\nit ended: exit status 3; its last words: no room"},
		"says other words": {"echo hello; cat", `it said "hello", want "ready" and the path of a kubeconfig`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := run(script(t, test.script))
			require.ErrorContains(t, err, "is not ready: "+test.want)
		})
	}
	t.Run("not there", func(t *testing.T) {
		_, err := run(filepath.Join(t.TempDir(), "gone"))
		require.ErrorIs(t, err, os.ErrNotExist)
	})
	t.Run("ready", func(t *testing.T) {
		program, err := run(script(t, "echo ready /some where/kubeconfig; cat"))
		require.NoError(t, err)
		require.Equal(t, "/some where/kubeconfig", program.kubeconfig)
		require.NoError(t, program.stop())
	})
	t.Run("ends badly", func(t *testing.T) {
		program, err := run(script(t, "echo ready /kubeconfig; cat; exit 4"))
		require.NoError(t, err)
		require.ErrorContains(t, program.stop(), "exit status 4")
	})
}

// script makes a program of the shell's.
func script(t *testing.T, lines string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program")
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+lines+"\n"), 0o700))
	return path
}
