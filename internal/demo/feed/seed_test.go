package feed_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/internal/clickhouseschema"
	"github.com/tidemark-project/tidemark/internal/clickhousetest"
	"github.com/tidemark-project/tidemark/internal/demo/feed"
	"github.com/tidemark-project/tidemark/internal/demo/fleet"
	"github.com/tidemark-project/tidemark/internal/demo/workload"
)

func TestSeedSpeed(t *testing.T) {
	ch := clickhousetest.Start(t)
	conn := ch.Open(t)

	config := clickhouseschema.DefaultConfig()
	config.Names.Database = ch.Database
	require.NoError(t, clickhouseschema.Apply(t.Context(), conn, config))

	now := time.Now()
	f := fleet.New(fleet.Model(workload.Config{Seed: 1, Services: 1000, Origin: now}))
	rows, err := feed.NewWriter(conn, config.Names).Seed(t.Context(), f, now, nil)
	require.NoError(t, err)
	t.Log(rows, time.Since(now))

	var n, u uint64
	require.NoError(t, conn.QueryRow(t.Context(), "SELECT count() FROM prometheus_metrics").Scan(&n))
	require.NoError(t, conn.QueryRow(t.Context(), "SELECT count() FROM usage_rollup").Scan(&u))
	t.Log(n, u)
}
