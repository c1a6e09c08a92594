package workload

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/tidemark-project/tidemark/recommender/size"
)

// Config says which fleet to make.
type Config struct {
	// Seed makes fleets differ.
	Seed uint64
	// Services is how many there are.
	Services int
	// Origin is the moment that growth is reckoned from: when the demonstration begins.
	Origin time.Time
}

// Service is one made-up service.
type Service struct {
	// Key is "tenant/name".
	Key string
	// Class is its pattern.
	Class Class
	// Fit is how well Allocation suits it.
	Fit Fit
	// Allocation is the size it has at the start.
	Allocation size.Size

	seed   uint64
	origin time.Time
	shape  shape
	peak   Demand // of the busiest replica
	query  float64
}

// Fleet makes the services, ordered as they were dealt out and not by key.
func Fleet(config Config) []Service {
	services := make([]Service, config.Services)
	for i := range services {
		services[i] = newService(config, i)
	}

	return services
}

func newService(config Config, index int) Service {
	seed := mix(config.Seed) ^ mix(uint64(index)) //nolint:gosec // not negative
	random := rand.New(rand.NewPCG(seed, seed))

	s := Service{
		Key:    key(index),
		Class:  classOf(index),
		Fit:    fitOf(index),
		seed:   seed,
		origin: config.Origin,
		query:  between(lightQueries, heavyQueries, random.Float64()),
	}

	s.shape = newShape(s.Class, random)
	sensible := sensibleSize(random)
	s.peak = s.peakFor(sensible)
	s.Allocation = s.misfit(sensible, random)

	return s
}

// key is a name as a platform would have it. The index keeps keys apart.
func key(index int) string {
	tenants := [...]string{"shop", "bank", "media", "games", "travel", "health", "energy", "city"}
	nouns := [...]string{"orders", "users", "events", "search", "billing", "metrics", "sessions", "catalog", "audit", "reports", "stock"}

	return fmt.Sprintf("%s/%s-%04d", tenants[index%len(tenants)], nouns[index%len(nouns)], index)
}
