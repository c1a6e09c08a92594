package server

import (
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/keepalive"

	"github.com/tidemark-project/tidemark/server/watch"
)

const (
	// maxMessageBytes holds a batch of 10,000 wishes whose every field is as long as it may be.
	maxMessageBytes = 16 << 20
	// minPingInterval is how often a client may ping. Without it the transport cuts off clients that ping more often than
	// every five minutes, or while they have no call open.
	minPingInterval = 10 * time.Second
	// serverPing finds dead clients behind silent networks.
	serverPing        = time.Minute
	serverPingTimeout = 20 * time.Second
	// connectTimeout is how long a connection has to shake hands, which takes one message of the client's. A silent one holds
	// up a stop for as long.
	connectTimeout = 5 * time.Second
)

// watch are the hub's settings. Streams end themselves when their connection has been asked to go: that alone would not
// end them, and left to itself the transport cuts them off.
func (c Config) watch() watch.Config {
	const percent, share = 100, 120

	settings := c.Watch
	if settings.MaxAge == 0 {
		settings.MaxAge = c.MaxConnectionAge / percent * share
	}

	return settings
}

// transportOptions are the options of the gRPC server that concern connections.
func (c Config) transportOptions() []grpc.ServerOption {
	return []grpc.ServerOption{
		grpc.MaxRecvMsgSize(maxMessageBytes),
		grpc.MaxConcurrentStreams(c.MaxConcurrentStreams),
		grpc.ConnectionTimeout(connectTimeout),
		grpc.WaitForHandlers(true),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{
			MinTime:             minPingInterval,
			PermitWithoutStream: true,
		}),
		grpc.KeepaliveParams(keepalive.ServerParameters{
			MaxConnectionAge:      c.MaxConnectionAge,
			MaxConnectionAgeGrace: c.MaxConnectionAge,
			Time:                  serverPing,
			Timeout:               serverPingTimeout,
		}),
	}
}
