// Package server is the process that owns the queue: it takes in work, evaluates services and tells who wants to know.
// A Config is completed into a Server, which may fail; a Server then only runs.
package server

import (
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tidemark-project/tidemark/server/inventory"
	"github.com/tidemark-project/tidemark/server/queue"
	"github.com/tidemark-project/tidemark/server/store"
	"github.com/tidemark-project/tidemark/server/watch"
	"github.com/tidemark-project/tidemark/server/worker"
)

// Config is everything that a server can be told.
type Config struct {
	// Listen is the address of the gRPC port; a port of 0 takes a free one.
	Listen string
	// HTTPListen is the address of /metrics, /healthz and /readyz; empty means that there is none.
	HTTPListen string
	// Queue, Worker and Watch are the settings of the parts.
	Queue  queue.Config
	Worker worker.Config
	Watch  watch.Config
	// InventoryInterval is how often the list of services is read.
	InventoryInterval time.Duration
	// ForgetAfter is after how long a service is deleted that the inventory no longer lists, of which nothing was measured
	// and that nobody asked for; 0 for never.
	ForgetAfter time.Duration
	// ShutdownGrace is how long evaluations under way and open calls get to finish.
	ShutdownGrace time.Duration
	// MaxConnectionAge is how long a connection may live before its client is asked to make a new one, so that clients
	// find new servers; streams get as long again to end.
	MaxConnectionAge time.Duration
	// MaxConcurrentStreams is how many calls one connection may have open.
	MaxConcurrentStreams uint32
}

// DefaultConfig returns the settings that a server has when nothing else is said.
func DefaultConfig() Config {
	waiting := queue.Default()
	waiting.Breaker.Dependencies = worker.Dependencies()

	return Config{
		Listen:               "localhost:8433",
		HTTPListen:           "localhost:8434",
		Queue:                waiting,
		Worker:               worker.DefaultConfig(),
		Watch:                watch.DefaultConfig(),
		InventoryInterval:    15 * time.Second,
		ForgetAfter:          7 * 24 * time.Hour,
		ShutdownGrace:        20 * time.Second,
		MaxConnectionAge:     30 * time.Minute,
		MaxConcurrentStreams: 1000,
	}
}

// Dependencies are the parts that reach outside; tests bring their own.
type Dependencies struct {
	// Usage reads what services use.
	Usage worker.Usage
	// Inventory lists the services.
	Inventory inventory.Lister
	// Policies says how services are sized. A change of them takes effect with the next evaluation of each service.
	Policies worker.Policies
	// Advisor asks outside recommenders; nil when no policy names one.
	Advisor worker.Advisor
	// Store is the server's memory; one that forgets everything with the process when it is nil. The server closes it once
	// Complete has succeeded.
	Store store.Store
	// Registry takes the server's metrics and shows them on its HTTP port; parts that the caller brings may have registered
	// theirs with it. The server makes one of its own when it is nil.
	Registry *prometheus.Registry
	// Listener replaces Config.Listen when it is not nil. The server closes it, once Complete has succeeded.
	Listener net.Listener
}

// Validate returns everything that is wrong with the settings.
func (c Config) Validate() error {
	problems := []error{
		c.Queue.Validate(),
		c.Worker.Validate(),
		c.Watch.Validate(),
		positive("inventory interval", c.InventoryInterval),
		positive("shutdown grace", c.ShutdownGrace),
		positive("maximum connection age", c.MaxConnectionAge),
	}

	if c.ForgetAfter < 0 {
		problems = append(problems,
			fmt.Errorf("services are forgotten after %s: it must be positive, or 0 for never", c.ForgetAfter))
	}

	if c.MaxConcurrentStreams == 0 {
		problems = append(problems, errors.New("maximum of concurrent streams is 0: it must be positive"))
	}

	return errors.Join(problems...)
}

func positive(what string, value time.Duration) error {
	if value > 0 {
		return nil
	}

	return fmt.Errorf("%s is %s: it must be positive", what, value)
}
