package server_test

import (
	"bytes"
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/reflection/grpc_reflection_v1"

	"github.com/tidemark-project/tidemark/server"
)

const cutOff = "calls were cut off"

// stopDuringWork stops a server whose evaluations use up the grace, and returns what it logged.
func stopDuringWork(t *testing.T, meanwhile func(*running)) string {
	t.Helper()

	var log bytes.Buffer

	s := runLogging(t, quiet(), slog.New(slog.NewTextHandler(&log, nil)), func(d *server.Dependencies) {
		d.Usage = &fakeUsage{take: func(ctx context.Context) error {
			<-ctx.Done()

			return ctx.Err()
		}}
	})
	s.enqueue(t, "prod/a")
	meanwhile(s)
	synctest.Wait()

	began := time.Now()

	require.NoError(t, s.end())
	require.Equal(t, quiet().ShutdownGrace, time.Since(began))

	return log.String()
}

// A stop that takes all of the grace does not say that calls were cut off when there were none.
func TestAStopThatUsesUpTheGraceCutsNothingOff(t *testing.T) {
	for name, meanwhile := range map[string]func(*running){
		"a client that is connected": func(*running) {},
		"a client that has gone":     func(s *running) { require.NoError(t, s.conn.Close()) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { require.NotContains(t, stopDuringWork(t, meanwhile), cutOff) })
		})
	}
}

func TestAStopSaysHowManyCallsItCutsOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := stopDuringWork(t, func(s *running) {
			_, err := grpc_reflection_v1.NewServerReflectionClient(s.conn).ServerReflectionInfo(t.Context())
			require.NoError(t, err)
		})
		require.Contains(t, log, cutOff)
		require.Contains(t, log, "calls=1")
	})
}
