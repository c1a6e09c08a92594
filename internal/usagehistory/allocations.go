package usagehistory

import (
	"context"
	"fmt"

	"github.com/tidemark-project/tidemark/recommender/size"
)

// inventoried is what the inventory knows of a service.
type inventoried struct {
	resources size.Resources
	labels    map[string]string
}

func readAllocations(ctx context.Context, conn Conn, request Request) (map[string]inventoried, error) {
	query := fmt.Sprintf("SELECT service, cpu_millis, memory_bytes, labels FROM %s FINAL WHERE %s",
		request.Names.Qualified(request.Names.Allocations), request.in())
	known := map[string]inventoried{}

	err := eachRow(ctx, conn, query, func(scan func(...any) error) error {
		var (
			service string
			of      inventoried
		)

		if err := scan(&service, &of.resources.CPUMillis, &of.resources.MemoryBytes, &of.labels); err != nil {
			return fmt.Errorf("read an allocation: %w", err)
		}

		// An allocation that cannot be true is not known.
		if !of.resources.Known() {
			of.resources = size.Resources{}
		}

		known[service] = of

		return nil
	})

	return known, err
}
