package server

import (
	"context"

	"google.golang.org/grpc"
	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
)

// healthService is the standard health service, with watches that end when the server stops. Clients with health
// checking keep one open as long as they are connected, and a graceful stop would wait for it for ever.
type healthService struct {
	*health.Server

	serving    context.Context
	endWatches context.CancelFunc
}

func newHealthService() *healthService {
	serving, end := context.WithCancel(context.Background())

	return &healthService{Server: health.NewServer(), serving: serving, endWatches: end}
}

// Watch implements the RPC.
func (h *healthService) Watch(
	request *healthpb.HealthCheckRequest, stream grpc.ServerStreamingServer[healthpb.HealthCheckResponse],
) error {
	ctx, cancel := context.WithCancel(stream.Context())
	defer cancel()

	unlink := context.AfterFunc(h.serving, cancel)
	defer unlink()

	return h.Server.Watch(request, &healthStream{stream, ctx}) //nolint:wrapcheck // a status, as the protocol has it
}

// healthStream is a stream with another context.
type healthStream struct {
	grpc.ServerStreamingServer[healthpb.HealthCheckResponse]

	ctx context.Context
}

// Context implements grpc.ServerStream.
func (s *healthStream) Context() context.Context { return s.ctx }
