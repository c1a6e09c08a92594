package html_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/recommender/backtest/html"
)

// TestInBrowser lets a real browser run the page, where there is one, and looks whether charts were drawn.
func TestInBrowser(t *testing.T) {
	t.Parallel()

	browser, err := exec.LookPath("chromium")
	if err != nil {
		t.Skipf("no browser: %v", err)
	}

	page, err := html.Render(report(t, hostile, 2))
	require.NoError(t, err)

	folder := t.TempDir()
	path := filepath.Join(folder, "report.html")
	require.NoError(t, os.WriteFile(path, page, 0o600))

	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()

	document, err := exec.CommandContext(ctx, browser, "--headless", "--no-sandbox", "--disable-gpu", "--window-size=1200,1500",
		"--user-data-dir="+filepath.Join(folder, "profile"), "--virtual-time-budget=5000", "--dump-dom", "file://"+path).Output()
	require.NoError(t, err)

	// What the page's script says of itself.
	root := regexp.MustCompile("<html[^>]*>").FindString(string(document))
	require.NotContains(t, root, "data-error")

	drawn := regexp.MustCompile(`data-charts="([0-9]+)"`).FindStringSubmatch(root)
	require.NotNil(t, drawn, root)
	require.NotEqual(t, "0", drawn[1])
}
