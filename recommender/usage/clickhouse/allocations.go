package clickhouse

import (
	"context"
	"fmt"
	"time"

	"github.com/tidemark-project/tidemark/internal/clickhouseschema"
	"github.com/tidemark-project/tidemark/recommender/size"
	"github.com/tidemark-project/tidemark/recommender/usage"
)

// readAllocations adds to the snapshots what the inventory knows of their services.
func (r *Reader) readAllocations(ctx context.Context, services []string, snapshots map[string]usage.Snapshot) error {
	query := allocationsQuery(r.config.Names, "WHERE service IN ("+quotedList(services)+")\n"+r.config.limits())

	return r.query(ctx, query, func(scan scanFunc) error {
		service, err := scanService(scan)
		if err != nil {
			return err
		}

		snapshot, wanted := snapshots[service.Key]
		if !wanted || !service.sane() {
			return nil
		}

		snapshot.Allocation = service.Allocation
		snapshot.AllocationTime = service.UpdatedTime
		snapshot.Labels = service.Labels
		snapshots[service.Key] = snapshot

		return nil
	})
}

// allocationsQuery reads the latest row of each service. FINAL leaves out the rows that a later one replaces.
func allocationsQuery(names clickhouseschema.Names, rest string) string {
	return fmt.Sprintf(`SELECT service, cpu_millis, memory_bytes, replicas, labels, toUnixTimestamp64Milli(updated_at)
FROM %s FINAL
%s`, names.Qualified(names.Allocations), rest)
}

// Service is one entry of the inventory.
type Service struct {
	// Key is "tenant/name".
	Key string
	// Labels are the service's labels.
	Labels map[string]string
	// Allocation is the size the service has.
	Allocation size.Size
	// UpdatedTime is when that size was last seen.
	UpdatedTime time.Time
}

func scanService(scan scanFunc) (Service, error) {
	var (
		service Service
		millis  int64
	)

	err := scan(&service.Key, &service.Allocation.CPUMillis, &service.Allocation.MemoryBytes,
		&service.Allocation.Replicas, &service.Labels, &millis)
	service.UpdatedTime = time.UnixMilli(millis).UTC()

	return service, err
}

// sane reports that nothing in the allocation is negative.
func (s *Service) sane() bool {
	return s.Allocation.CPUMillis >= 0 && s.Allocation.MemoryBytes >= 0 && s.Allocation.Replicas >= 0
}
