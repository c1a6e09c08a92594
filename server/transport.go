package server

import (
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/keepalive"
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
	connectTimeout    = 20 * time.Second
)

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
