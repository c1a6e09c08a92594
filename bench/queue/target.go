package main

import (
	"context"
	"fmt"
	"net"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// target is a server that runs, and clients of it on connections of their own.
type target struct {
	clients []tidemarkv1.RecommendationServiceClient
	// held is closed when evaluations cannot disturb any more; nil when there are none.
	held <-chan struct{}

	conns []*grpc.ClientConn
	stop  func() error
}

const connections = 4

// connect makes the clients. The target owns the server from now on.
func connect(address net.Addr, held <-chan struct{}, stop func() error) (*target, error) {
	t := &target{stop: stop, held: held}

	for range connections {
		conn, err := grpc.NewClient(address.String(),
			grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithDisableServiceConfig())
		if err != nil {
			return nil, join(fmt.Errorf("make a client of %s: %w", address, err), t.close())
		}

		t.conns = append(t.conns, conn)
		t.clients = append(t.clients, tidemarkv1.NewRecommendationServiceClient(conn))
	}

	return t, nil
}

// settle opens the connections, and lets the server have its only worker take an item that it will not finish.
func (t *target) settle(ctx context.Context) error {
	for _, client := range t.clients {
		if _, err := client.Enqueue(ctx, wish("held/up")); err != nil {
			return fmt.Errorf("make a first call: %w", err)
		}
	}

	if t.held == nil {
		return nil
	}

	select {
	case <-t.held:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait for the worker to be held up: %w", context.Cause(ctx))
	}
}

func (t *target) close() error {
	var problems []error
	for _, conn := range t.conns {
		problems = append(problems, conn.Close())
	}

	return join(append(problems, t.stop())...)
}

func wish(service string) *tidemarkv1.EnqueueRequest {
	return &tidemarkv1.EnqueueRequest{
		Service: service, Trigger: tidemarkv1.Trigger_TRIGGER_SIGNAL, Source: "bench", Detail: "memory",
	}
}
