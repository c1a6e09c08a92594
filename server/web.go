package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
)

// webTimeout bounds what one HTTP request may take.
const webTimeout = 10 * time.Second

// web is the HTTP port: metrics, and health for those who do not speak gRPC. The zero value has no port.
type web struct {
	listener net.Listener
	server   *http.Server
}

func newWeb(ctx context.Context, address string, s *Server) (*web, error) {
	if address == "" {
		return &web{}, nil
	}

	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listen for HTTP: %w", err)
	}

	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(s.metrics.registry, promhttp.HandlerOpts{
		Registry: s.metrics.registry, EnableOpenMetrics: true,
	}))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(s.readiness(r.Context())) })

	return &web{listener: listener, server: &http.Server{
		Handler: mux, ReadHeaderTimeout: webTimeout, ReadTimeout: webTimeout, WriteTimeout: webTimeout,
	}}, nil
}

// readiness is the HTTP status that stands for the gRPC health.
func (s *Server) readiness(ctx context.Context) int {
	answer, err := s.health.Check(ctx, &healthpb.HealthCheckRequest{})
	if err != nil || answer.GetStatus() != healthpb.HealthCheckResponse_SERVING {
		return http.StatusServiceUnavailable
	}

	return http.StatusNoContent
}

func (w *web) addr() net.Addr {
	if w.listener == nil {
		return nil
	}

	return w.listener.Addr()
}

// close gives up a port that was never served.
func (w *web) close() error {
	if w.listener == nil {
		return nil
	}

	if err := w.listener.Close(); err != nil {
		return fmt.Errorf("close the HTTP port: %w", err)
	}

	return nil
}

// run serves until stop.
func (w *web) run() error {
	if w.server == nil {
		return nil
	}

	if err := w.server.Serve(w.listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve HTTP: %w", err)
	}

	return nil
}

// stop ends the port; requests under way get until ctx ends.
func (w *web) stop(ctx context.Context) error {
	if w.server == nil {
		return nil
	}

	if err := w.server.Shutdown(ctx); err != nil {
		return errors.Join(fmt.Errorf("stop HTTP: %w", err), w.server.Close())
	}

	return nil
}
