package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"slices"

	"buf.build/go/protovalidate"
	"google.golang.org/grpc"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/reflection"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/server/api"
	"github.com/tidemark-project/tidemark/server/interceptor"
	"github.com/tidemark-project/tidemark/server/inventory"
	"github.com/tidemark-project/tidemark/server/observe"
	"github.com/tidemark-project/tidemark/server/queue"
	"github.com/tidemark-project/tidemark/server/store"
	"github.com/tidemark-project/tidemark/server/watch"
	"github.com/tidemark-project/tidemark/server/worker"
)

// Server is a complete server: everything is built, listening, and nothing runs yet.
type Server struct {
	config          Config
	logger          *slog.Logger
	metrics         *metrics
	store           store.Store
	queue           *queue.Queue
	hub             *watch.Hub
	pool            *worker.Pool
	inventory       *inventory.Cache
	observed        *observe.Journal
	recommendations *api.Recommendations
	health          *healthService
	front           *front
	web             *web
}

// Complete builds a server. When it fails, nothing is left behind; when it succeeds, Run must be called. ctx bounds the
// building alone.
func (c Config) Complete(ctx context.Context, deps Dependencies, logger *slog.Logger) (*Server, error) {
	if err := c.Validate(); err != nil {
		return nil, fmt.Errorf("server settings: %w", err)
	}

	validator, err := protovalidate.New(protovalidate.WithMessages(
		&tidemarkv1.EnqueueRequest{}, &tidemarkv1.BatchEnqueueRequest{}, &tidemarkv1.ListServicesRequest{},
		&tidemarkv1.GetRecommendationRequest{}, &tidemarkv1.ListRecommendationsRequest{},
		&tidemarkv1.WatchRecommendationsRequest{}, &tidemarkv1.ReportScalingRequest{}, &tidemarkv1.DeleteServiceRequest{},
		&tidemarkv1.GetObserveReportRequest{},
		&tidemarkv1.GetQueueStatusRequest{}, &tidemarkv1.ListQueueItemsRequest{}, &tidemarkv1.RetryItemRequest{},
		&tidemarkv1.CancelItemRequest{}, &tidemarkv1.PauseQueueRequest{}, &tidemarkv1.ResumeQueueRequest{},
	))
	if err != nil {
		return nil, fmt.Errorf("prepare the rules of the API: %w", err)
	}

	s := &Server{
		config: c, logger: logger, metrics: newMetrics(deps.Registry), store: deps.Store, health: newHealthService(),
	}

	if s.store == nil {
		s.store = store.NewMemory()
	}

	s.queue, err = queue.New(c.Queue)
	if err != nil {
		return nil, fmt.Errorf("build the queue: %w", err)
	}

	s.hub = watch.New(s.store, c.watch(), logger)
	s.observed = observe.New(s.store, logger)
	s.inventory = inventory.New(deps.Inventory, c.InventoryInterval, logger)
	s.pool = worker.New(c.Worker, s.queue, s.store, worker.Sources{
		Usage: deps.Usage, Inventory: s.inventory, Policies: deps.Policies, Advisor: deps.Advisor,
	}, s.metrics, logger)

	s.recommendations = api.NewRecommendations(api.Backing{
		Queue: s.queue, Store: s.store, Hub: s.hub, Inventory: s.inventory, Validator: validator, Observed: s.observed,
		Observer: s.metrics, Logger: s.logger,
	})

	if err := errors.Join(s.queue.Register(s.metrics.registry), s.hub.Register(s.metrics.registry)); err != nil {
		return nil, errors.Join(fmt.Errorf("register metrics: %w", err), s.abandon())
	}

	if err := s.load(ctx); err != nil {
		return nil, errors.Join(err, s.abandon())
	}

	//nolint:contextcheck // the chain has the context of each call
	if err := s.listen(ctx, deps.Listener, s.newGRPC(validator), s.newGRPC(validator)); err != nil {
		return nil, errors.Join(err, s.abandon())
	}

	return s, nil
}

// newGRPC returns a gRPC server with the services that work.
func (s *Server) newGRPC(validator protovalidate.Validator) *grpc.Server {
	chain := interceptor.Chain(s.logger, s.metrics.grpc, s.metrics.panics, validator)
	made := grpc.NewServer(slices.Concat(s.config.transportOptions(), interceptor.ServerOptions(chain))...)

	tidemarkv1.RegisterRecommendationServiceServer(made, s.recommendations)
	tidemarkv1.RegisterQueueServiceServer(made, api.NewQueue(s.queue, s.store, s.logger))
	healthpb.RegisterHealthServer(made, s.health)
	reflection.Register(made)
	s.metrics.grpc.InitializeMetrics(made)

	return made
}

// load brings back what the store remembers, before anything is evaluated or served.
func (s *Server) load(ctx context.Context) error {
	if err := s.hub.Load(ctx); err != nil {
		return err
	}

	return s.unpark(ctx)
}

func (s *Server) listen(ctx context.Context, given net.Listener, first, second *grpc.Server) error {
	var err error

	// The HTTP port first: a listener that was given stays the giver's when something fails.
	s.web, err = newWeb(ctx, s.config.HTTPListen, s)
	if err != nil {
		return err
	}

	listener := given
	if listener == nil {
		listener, err = new(net.ListenConfig).Listen(ctx, "tcp", s.config.Listen)
	}

	if err != nil {
		return errors.Join(fmt.Errorf("listen for gRPC: %w", err), s.web.close())
	}

	s.front = newFront(listener, func() (int, error) { return underWay(s.metrics.grpc) }, first, second)

	return nil
}

// abandon releases what a server that will not run holds.
func (s *Server) abandon() error {
	s.health.endWatches()
	s.queue.Close()

	return s.store.Close()
}

// Addr is the address of the gRPC port.
func (s *Server) Addr() net.Addr { return s.front.listener.Addr() }

// HTTPAddr is the address of the HTTP port; nil when there is none.
func (s *Server) HTTPAddr() net.Addr { return s.web.addr() }
