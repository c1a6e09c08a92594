package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/policies"
	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/usage"
	"github.com/tidemark-project/tidemark/server"
)

// openWhole runs the server as it is, with one worker that never gets an answer from the usage store.
func openWhole(ctx context.Context) (*target, error) {
	config := server.DefaultConfig()
	config.Listen, config.HTTPListen = "127.0.0.1:0", ""
	config.Worker.Workers = 1
	config.Worker.Timeout = time.Hour

	store := &silentStore{held: make(chan struct{}), release: make(chan struct{})}

	whole, err := config.Complete(ctx, server.Dependencies{
		Usage: store, Inventory: noServices{}, Policies: nothingToDo{},
	}, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, fmt.Errorf("build the server: %w", err)
	}

	running, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)

	go func() { ended <- whole.Run(running) }()

	return connect(whole.Addr(), store.held, func() error {
		cancel()
		close(store.release)

		return <-ended
	})
}

// silentStore is a usage store that does not answer.
type silentStore struct {
	once sync.Once
	// held is closed when the first question came; the answers come when release is closed.
	held, release chan struct{}
}

var errSilent = errors.New("the usage store is a silent one")

// Snapshot implements worker.Usage.
func (s *silentStore) Snapshot(ctx context.Context, _ string, _ usage.Request) (usage.Snapshot, error) {
	s.once.Do(func() { close(s.held) })

	select {
	case <-ctx.Done():
	case <-s.release:
	}

	return usage.Snapshot{}, errSilent
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
