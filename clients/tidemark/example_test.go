package tidemark_test

import (
	"github.com/tidemark-project/tidemark/clients/tidemark"
	"github.com/tidemark-project/tidemark/clients/tidemark/tidemarktest"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// exampleClient is a client of a server that lives in the process and knows two services.
func exampleClient() (client *tidemark.Client, done func()) {
	server := exampleServer()
	client = server.Dial()

	return client, func() {
		if err := client.Close(); err != nil {
			panic(err)
		}

		server.Close()
	}
}

// exampleServer is that server.
func exampleServer() *tidemarktest.Server {
	server := tidemarktest.New()
	server.SetServices(
		&tidemarkv1.Service{Service: "prod/orders-db", Labels: map[string]string{"tier": "gold"}},
		&tidemarkv1.Service{Service: "prod/users-db"},
	)
	server.Put(&tidemarkv1.Recommendation{
		Service:     "prod/orders-db",
		Allocation:  &tidemarkv1.Size{CpuMillis: 1000, MemoryBytes: 4 << 30, Replicas: 3},
		Recommended: &tidemarkv1.Size{CpuMillis: 1500, MemoryBytes: 8 << 30, Replicas: 3},
		Direction:   tidemarkv1.Direction_DIRECTION_UP,
	})
	server.Put(&tidemarkv1.Recommendation{
		Service:     "prod/users-db",
		Allocation:  &tidemarkv1.Size{CpuMillis: 500, MemoryBytes: 2 << 30, Replicas: 3},
		Recommended: &tidemarkv1.Size{CpuMillis: 500, MemoryBytes: 2 << 30, Replicas: 3},
		Direction:   tidemarkv1.Direction_DIRECTION_NONE,
	})

	return server
}
