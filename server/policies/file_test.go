package policies

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/recommender/policies"
)

// configMap is a directory as Kubernetes mounts a config map: the file is a link to ..data/file, and ..data a link to the
// directory of one version, which an update replaces as a whole.
type configMap struct {
	t         *testing.T
	directory string
}

func (c configMap) file() string { return filepath.Join(c.directory, "policies.yaml") }

func (c configMap) update(version, content string) {
	c.t.Helper()

	target := filepath.Join(c.directory, version)
	require.NoError(c.t, os.Mkdir(target, 0o700))
	require.NoError(c.t, os.WriteFile(filepath.Join(target, "policies.yaml"), []byte(content), 0o600))

	fresh, data := filepath.Join(c.directory, "..data_tmp"), filepath.Join(c.directory, "..data")
	require.NoError(c.t, os.Symlink(version, fresh))
	require.NoError(c.t, os.Rename(fresh, data))
}

func TestAConfigMapIsFollowed(t *testing.T) {
	mounted := configMap{t, t.TempDir()}
	mounted.update("..1", eight)
	require.NoError(t, os.Symlink(filepath.Join("..data", "policies.yaml"), mounted.file()))

	live, err := New(mounted.file(), time.Hour, slog.New(slog.DiscardHandler), prometheus.NewRegistry())
	require.NoError(t, err)
	require.Equal(t, int64(8000), live.For("a/b", nil).Policy.Max.CPUMillis)

	mounted.update("..2", four)
	live.refresh(t.Context(), false)
	require.Equal(t, int64(4000), live.For("a/b", nil).Policy.Max.CPUMillis)

	require.NoError(t, os.Remove(mounted.file()))
	live.refresh(t.Context(), false)
	require.Equal(t, int64(4000), live.For("a/b", nil).Policy.Max.CPUMillis)
}

// TestReloadOfARealFile goes through Run, with no clock involved.
func TestReloadOfARealFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "policies.yaml")
	require.NoError(t, os.WriteFile(path, []byte(eight), 0o600))

	live, err := New(path, time.Hour, slog.New(slog.DiscardHandler), prometheus.NewRegistry())
	require.NoError(t, err)

	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)

	go func() { ended <- live.Run(ctx) }()

	require.NoError(t, os.WriteFile(path, []byte(four), 0o600))
	live.Reload()
	require.Eventually(t, func() bool { return live.For("a/b", nil).Policy.Max.CPUMillis == 4000 }, 10*time.Second, time.Millisecond)

	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)
}

func TestWhatCannotBeReadIsNamed(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing.yaml")
	_, err := New(missing, time.Hour, slog.New(slog.DiscardHandler), prometheus.NewRegistry())
	require.ErrorIs(t, err, os.ErrNotExist)
	require.ErrorContains(t, err, missing)

	directory := t.TempDir()
	_, err = New(directory, time.Hour, slog.New(slog.DiscardHandler), prometheus.NewRegistry())
	require.ErrorContains(t, err, directory)
}

func TestALargeFileIsNotReadWhole(t *testing.T) {
	path := filepath.Join(t.TempDir(), "large.yaml")
	require.NoError(t, os.WriteFile(path, []byte(strings.Repeat("#", 3*policies.MaxSize)), 0o600))

	_, err := New(path, time.Hour, slog.New(slog.DiscardHandler), prometheus.NewRegistry())
	require.ErrorContains(t, err, "1 MiB")

	content, err := readFile(path)
	require.NoError(t, err)
	require.Len(t, content, policies.MaxSize+1)
}
