package server

import (
	"context"
	"errors"

	"golang.org/x/sync/errgroup"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// Run serves until ctx ends or a part fails, and then stops in order: first nothing new is taken and clients are asked to
// go elsewhere, then what is under way finishes within the grace, then the ports close. It returns nil after an orderly
// stop.
func (s *Server) Run(ctx context.Context) error {
	// The parts outlive ctx: stopping is a sequence, not a moment.
	work, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()

	parts, failed := errgroup.WithContext(work)
	parts.Go(func() error { return ended(s.hub.Run(work)) })
	parts.Go(func() error { return ended(s.inventory.Run(work)) })
	parts.Go(func() error { return ended(s.pool.Run(work)) })
	parts.Go(func() error { return ended(s.observed.Run(work)) })
	parts.Go(func() error { return ended(s.forgetTheGone(work)) })
	parts.Go(s.web.run)
	parts.Go(s.front.accept)
	parts.Go(s.front.serve)

	s.setHealth(healthpb.HealthCheckResponse_SERVING)
	s.logger.InfoContext(ctx, "serving", "grpc", s.Addr().String(), "http", s.HTTPAddr())

	select {
	case <-ctx.Done():
	case <-failed.Done():
	}

	stopped := s.stop(work)

	cancel()

	return errors.Join(parts.Wait(), stopped, s.store.Close())
}

// stop ends the parts in order. What is not done within the grace is cut off.
func (s *Server) stop(work context.Context) error {
	grace, cancel := context.WithTimeout(work, s.config.ShutdownGrace)
	defer cancel()

	s.logger.InfoContext(grace, "stopping", "grace", s.config.ShutdownGrace)
	s.health.Shutdown()

	// The streams must end by our hand: a graceful stop waits for them for ever. They end while evaluations finish, and
	// clients that can go elsewhere have done so by then.
	told := s.endStreams(grace)
	turned := s.front.turn()

	s.health.endWatches()

	left := s.queue.Drain(grace)
	s.queue.Close()

	parked := s.park(work, left)

	<-told

	cut, uncounted := s.front.stop(grace, turned)
	if cut > 0 {
		s.logger.WarnContext(grace, "calls were cut off: they did not end within the grace", "calls", cut)
	}

	return errors.Join(parked, uncounted, s.web.stop(grace))
}

// endStreams ends the watch streams, and closes the channel when all have been told. Half of the grace is theirs, so that
// the other half is left for the last of them to end.
func (s *Server) endStreams(grace context.Context) <-chan struct{} {
	const share = 2

	told := make(chan struct{})

	go func() {
		defer close(told)

		ending, cancel := context.WithTimeout(grace, s.config.ShutdownGrace/share)
		defer cancel()

		s.hub.Stop(ending)
	}()

	return told
}

func (s *Server) setHealth(status healthpb.HealthCheckResponse_ServingStatus) {
	s.health.SetServingStatus("", status)
	s.health.SetServingStatus(tidemarkv1.RecommendationService_ServiceDesc.ServiceName, status)
	s.health.SetServingStatus(tidemarkv1.QueueService_ServiceDesc.ServiceName, status)
}

// ended takes the end of a context for what it is: the order to stop.
func ended(err error) error {
	if errors.Is(err, context.Canceled) {
		return nil
	}

	return err
}
