package server_test

import (
	"errors"
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/server"
)

var errBroken = errors.New("the port is broken")

// brokenListener accepts nothing.
type brokenListener struct{ net.Listener }

func (brokenListener) Accept() (net.Conn, error) { return nil, errBroken }
func (brokenListener) Close() error              { return nil }
func (brokenListener) Addr() net.Addr            { return &net.TCPAddr{} }

func TestTheDefaultsAreValid(t *testing.T) {
	require.NoError(t, server.DefaultConfig().Validate())
}

func TestEverythingThatIsWrongIsSaidAtOnce(t *testing.T) {
	config := server.DefaultConfig()
	config.Queue.BackoffLimit = 0
	config.Worker.Workers = 0
	config.Watch.MaxWatchers = -1
	config.InventoryInterval = 0
	config.ForgetAfter = -1
	config.ShutdownGrace = -1
	config.MaxConnectionAge = 0
	config.MaxConcurrentStreams = 0

	_, err := config.Complete(t.Context(), server.Dependencies{}, discard)
	for _, part := range []string{
		"backoff limit", "0 workers", "-1 streams", "inventory interval", "shutdown grace",
		"services are forgotten", "maximum connection age", "concurrent streams",
	} {
		require.ErrorContains(t, err, part)
	}
}

func TestAServerThatCannotListenLeavesNothingBehind(t *testing.T) {
	taken, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "localhost:0")
	require.NoError(t, err)

	defer func() { require.NoError(t, taken.Close()) }()

	free, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "localhost:0")
	require.NoError(t, err)
	require.NoError(t, free.Close())

	for name, change := range map[string]func(*server.Config){
		"gRPC": func(c *server.Config) { c.Listen, c.HTTPListen = taken.Addr().String(), free.Addr().String() },
		"HTTP": func(c *server.Config) { c.Listen, c.HTTPListen = free.Addr().String(), taken.Addr().String() },
	} {
		t.Run(name, func(t *testing.T) {
			config := server.DefaultConfig()
			change(&config)

			_, err := config.Complete(t.Context(), server.Dependencies{}, discard)
			require.ErrorContains(t, err, "listen for "+name)

			again, err := new(net.ListenConfig).Listen(t.Context(), "tcp", free.Addr().String())
			require.NoError(t, err, "the other port is free again")
			require.NoError(t, again.Close())
		})
	}
}
