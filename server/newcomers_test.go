package server_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/test/bufconn"

	"github.com/tidemark-project/tidemark/server"
)

// runBesideASilentConnection runs a server to which somebody has connected who says nothing.
func runBesideASilentConnection(t *testing.T, config server.Config) *running {
	t.Helper()

	var listener *bufconn.Listener

	s := runWith(t, config, func(d *server.Dependencies) {
		given, is := d.Listener.(*bufconn.Listener)
		require.True(t, is)

		listener = given
	})

	silent, err := listener.DialContext(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { _ = silent.Close() }) // the server has closed it

	synctest.Wait()

	return s
}

// A connection that says nothing, as of a probe or of a proxy that connects in advance, does not keep a server from ending
// within its grace.
func TestASilentConnectionIsCutOffAtTheEndOfTheGrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		config := quiet()
		config.ShutdownGrace = 2 * time.Second

		s := runBesideASilentConnection(t, config)
		began := time.Now()

		require.NoError(t, s.end())
		require.LessOrEqual(t, time.Since(began), config.ShutdownGrace)
	})
}

// Nor does it keep it from asking its clients to go for long, nor from ending when it has nothing else to do.
func TestASilentConnectionHoldsUpAStopForSecondsOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const handshake, work = 5 * time.Second, 15 * time.Second

		s := runBesideASilentConnection(t, quiet())
		s.usage.set(lasting(work))
		s.enqueue(t, "prod/a")
		synctest.Wait()
		require.Equal(t, connectivity.Ready, s.conn.GetState())

		began := time.Now()

		s.stop()

		ctx, cancel := context.WithTimeout(t.Context(), work)
		defer cancel()

		require.True(t, s.conn.WaitForStateChange(ctx, connectivity.Ready))
		require.LessOrEqual(t, time.Since(began), handshake)

		require.NoError(t, s.end())
		require.Equal(t, work, time.Since(began))
	})
}
