package demo

import (
	"context"
	"fmt"
	"net"
)

// addresses are where the processes listen.
type addresses struct {
	engine, server, http string
}

// chooseAddresses fills in free ports. They are free now; a process that finds its port taken is started again until it
// is free once more.
func chooseAddresses(ctx context.Context, config *Config) (addresses, error) {
	chosen := addresses{engine: config.EngineAddr, server: config.ServerAddr, http: config.HTTPAddr}

	var held []net.Listener

	// All are held until the last is chosen, so that no two are the same.
	defer func() {
		for _, listener := range held {
			_ = listener.Close()
		}
	}()

	for _, address := range []*string{&chosen.engine, &chosen.server, &chosen.http} {
		if *address != "" {
			continue
		}

		listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
		if err != nil {
			return addresses{}, fmt.Errorf("find a free port: %w", err)
		}

		held = append(held, listener)
		*address = listener.Addr().String()
	}

	if config.external() {
		chosen.engine = config.ClickHouse.Addr[0]
	}

	return chosen, nil
}
