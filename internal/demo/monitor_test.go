package demo

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/tidemark-project/tidemark/clients/tidemark/tidemarktest"
	"github.com/tidemark-project/tidemark/internal/demo/screen"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// watched is a monitor, what it shows, and the server that it looks at.
func watched(t *testing.T) (*monitor, *buffer, *tidemarktest.Server) {
	t.Helper()

	server := tidemarktest.New()
	t.Cleanup(server.Close)

	client := server.Dial()
	t.Cleanup(func() { _ = client.Close() })

	shown := &buffer{}

	return &monitor{
		screen: screen.New(shown), client: client, platform: &platform{}, services: 2, room: firstChanges,
	}, shown, server
}

func TestStatus(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m, shown, server := watched(t)
		server.Put(evaluated("a/b", gib))
		advance(7 * time.Second)

		for range firstChanges + 3 {
			m.hear(recommend("a/b", 8*gib))
		}

		down := recommend("a/c", gib)
		down.Direction = tidemarkv1.Direction_DIRECTION_DOWN
		m.hear(down)

		m.status(t.Context())
		require.Contains(t, shown.String(), "▲ a/b  up  1 core -> 2 cores, 4Gi -> 8Gi, 2 replicas")
		require.Contains(t, shown.String(), "… and 4 more changes")
		require.Contains(t, shown.String(),
			"── 2 services · 1 evaluated · the oldest 7 s ago · ▲ 15 ▼ 1 · 0 resized · 0 failing · ClickHouse up")

		m.silence(true)

		before := shown.String()

		m.hear(down)
		m.status(t.Context())
		require.Equal(t, before, shown.String(), "the story is not disturbed")

		m.silence(false)
		m.status(t.Context())
		require.Contains(t, shown.String(), "… and 1 more changes")
	})
}

func TestClickHouseAway(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m, shown, server := watched(t)
		server.Put(evaluated("a/b", gib))

		m.inserted(nil)
		require.Empty(t, shown.String())

		m.inserted(errors.New("connection refused"))
		m.inserted(errors.New("connection refused"))
		require.Contains(t, shown.String(), "ClickHouse is down: connection refused")

		failing := evaluated("a/b", gib)
		failing.Failure = &tidemarkv1.Failure{
			Message: "read usage: connection refused", Attempts: 3,
			FailureTime: timestamppb.Now(), RetryTime: timestamppb.New(time.Now().Add(14 * time.Second)),
		}
		server.Put(failing)

		lost := evaluated("a/c", gib)
		lost.Failure = &tidemarkv1.Failure{Message: "older", Attempts: 6, FailureTime: timestamppb.New(time.Now().Add(-time.Second))}
		server.Put(lost)

		advance(10 * time.Second)
		m.status(t.Context())
		require.Contains(t, shown.String(), "2 failing · ClickHouse down for 10 s")
		require.Contains(t, shown.String(), "2 services back off, each keeps its size; up to 6 attempts, the next in 4.0 s, "+
			"1 wait for the next sweep: read usage: connection refused")

		m.inserted(nil)
		require.Contains(t, shown.String(), "ClickHouse is back after 10 s; services scaled down meanwhile: 0")

		server.Put(evaluated("a/b", gib))
		server.Put(evaluated("a/c", gib))
		m.status(t.Context())
		require.Contains(t, shown.String(), "all services that had failed are evaluated again")
	})
}

func TestServerAway(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m, shown, server := watched(t)
		away := func(string) error { return tidemarktest.Error(codes.Unavailable, 0, "connection refused") }

		server.FailWith(away)
		m.status(t.Context())
		require.Empty(t, shown.String(), "it is yet to start")

		server.FailWith(nil)
		m.status(t.Context())
		require.Contains(t, shown.String(), "0 evaluated")

		server.FailWith(away)
		m.status(t.Context())
		require.Contains(t, shown.String(), "the server is down: ")
		require.Contains(t, shown.String(), "connection refused")

		advance(5 * time.Second)
		server.FailWith(nil)
		m.status(t.Context())
		require.Regexp(t, `the server is back after \d+ s`, shown.String())
	})
}

func TestMonitorRunsUntilItIsStopped(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m, shown, _ := watched(t)
		ctx, cancel := context.WithTimeout(t.Context(), 11*time.Second)

		defer cancel()

		m.run(ctx)
		require.Equal(t, 2, strings.Count(shown.String(), "── 2 services"))
	})
}
