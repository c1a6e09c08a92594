package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/tidemark-project/tidemark/clients/tidemark"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/policies"
	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/usage"
	"github.com/tidemark-project/tidemark/server"
)

// rate is how many events reach clients.
//
//nolint:tagliatelle // as the results of all benchmarks are named
type rate struct {
	Clients int     `json:"clients"`
	Events  int     `json:"events"`
	Seconds float64 `json:"seconds"`
	// PerSecond is over all clients.
	PerSecond float64 `json:"per_second"`
}

// measureEvents lets clients follow a whole server, and says what they and their streams take.
func measureEvents(ctx context.Context, p plan) (*rate, *footprint, error) {
	f, err := newFleet(ctx, p.services)
	if err != nil {
		return nil, nil, err
	}

	address, stop, err := serve(ctx, f)
	if err != nil {
		return nil, nil, err
	}

	before := inUse()

	following, err := follow(ctx, address, p.clients)
	if err != nil {
		return nil, nil, errors.Join(err, stop())
	}

	took := &footprint{
		Case: memoryGRPC, Readers: p.clients, BytesPerWatcher: (inUse() - before) / float64(p.clients),
	}

	began := time.Now()
	err = following.sweep(ctx, f, p.sweeps)
	seconds := time.Since(began).Seconds()
	events := p.clients * p.services * p.sweeps

	return &rate{Clients: p.clients, Events: events, Seconds: seconds, PerSecond: float64(events) / seconds},
		took, errors.Join(err, following.close(), stop())
}

// serve runs a server that shows the fleet and evaluates nothing.
func serve(ctx context.Context, f *fleet) (address string, stop func() error, err error) {
	config := server.DefaultConfig()
	config.Listen, config.HTTPListen = "127.0.0.1:0", ""
	config.Worker.Workers = 1

	whole, err := config.Complete(ctx, server.Dependencies{
		Usage: noUsage{}, Inventory: noServices{}, Policies: nothingToDo{}, Store: f,
	}, slog.New(slog.DiscardHandler))
	if err != nil {
		return "", nil, fmt.Errorf("build the server: %w", err)
	}

	running, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)

	go func() { ended <- whole.Run(running) }()

	return whole.Addr().String(), func() error {
		cancel()

		return <-ended
	}, nil
}

// followers are clients that keep count of what they get.
type followers struct {
	cancel  context.CancelFunc
	streams sync.WaitGroup
	owed    sync.WaitGroup // events until all clients have the present sweep
	conns   []*tidemark.Client
}

// follow opens clients and returns when all have their snapshots.
func follow(ctx context.Context, address string, clients int) (*followers, error) {
	ctx, cancel := context.WithCancel(ctx)
	f := &followers{cancel: cancel}

	f.owed.Add(clients)

	for range clients {
		client, err := tidemark.Dial(address, tidemark.WithPlaintext())
		if err != nil {
			return nil, errors.Join(fmt.Errorf("dial the server: %w", err), f.close())
		}

		f.conns = append(f.conns, client)
		f.streams.Go(func() { f.watch(ctx, client) })
	}

	f.owed.Wait()

	return f, nil
}

// watch counts the end of the snapshot and then every change, until ctx ends.
func (f *followers) watch(ctx context.Context, client *tidemark.Client) {
	for event, err := range client.Watch(ctx, tidemark.WatchOptions{}) {
		if err != nil {
			return
		}

		if event.Kind == tidemark.CaughtUp || event.Kind == tidemark.Changed && !event.Snapshot {
			f.owed.Done()
		}
	}
}

// sweep changes every service so often, each time until all clients have every change.
func (f *followers) sweep(ctx context.Context, to *fleet, sweeps int) error {
	for range sweeps {
		f.owed.Add(len(f.conns) * len(to.services))

		for _, service := range to.services {
			if err := to.write(ctx, service); err != nil {
				return err
			}
		}

		f.owed.Wait()
	}

	return nil
}

func (f *followers) close() error {
	f.cancel()
	f.streams.Wait()

	problems := make([]error, len(f.conns))
	for i, client := range f.conns {
		problems[i] = client.Close()
	}

	return errors.Join(problems...)
}

var errNoUsage = errors.New("nothing is evaluated here")

// noUsage knows nothing.
type noUsage struct{}

// Snapshot implements worker.Usage.
func (noUsage) Snapshot(context.Context, string, usage.Request) (usage.Snapshot, error) {
	return usage.Snapshot{}, errNoUsage
}

// noServices is an inventory of nothing.
type noServices struct{}

// List implements inventory.Lister.
func (noServices) List(context.Context) ([]*tidemarkv1.Service, error) { return nil, nil }

// nothingToDo is the policy and the recommender of all services.
type nothingToDo struct{}

// For implements worker.Policies.
func (n nothingToDo) For(string, map[string]string) *policies.Effective {
	return &policies.Effective{Policy: policy.Default(), Recommender: n}
}

// Name implements recommender.Recommender.
func (nothingToDo) Name() string { return "nothing" }

// Needs implements recommender.Recommender.
func (nothingToDo) Needs() usage.Request { return usage.Request{} }

// Recommend implements recommender.Recommender.
func (nothingToDo) Recommend(recommender.Input) recommender.Proposal { return recommender.Proposal{} }
