package main

import (
	"context"
	"fmt"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/server/store"
)

// lastService is what is written last, so that readers know that they have everything.
const lastService = "zz/last"

// fleet is a store with recommendations for so many services. It is written by one goroutine.
type fleet struct {
	*store.Memory

	services  []string
	revisions map[string]int64
	writes    int64
}

func newFleet(ctx context.Context, services int) (*fleet, error) {
	f := &fleet{Memory: store.NewMemory(), revisions: make(map[string]int64, services)}

	for i := range services {
		const tenants = 20

		f.services = append(f.services, fmt.Sprintf("tenant-%02d/orders-db-%05d", i%tenants, i))

		if err := f.write(ctx, f.services[i]); err != nil {
			return nil, err
		}
	}

	return f, nil
}

// write changes the recommendation of a service.
func (f *fleet) write(ctx context.Context, service string) error {
	commit := f.change(service)

	record, err := f.Commit(ctx, commit)
	if err != nil {
		return fmt.Errorf("write %s: %w", service, err)
	}

	f.revisions[service] = record.Revision

	return nil
}

// change is the commit that changes the recommendation of a service.
func (f *fleet) change(service string) store.Commit {
	f.writes++

	return store.Commit{Recommendation: f.recommendation(service), Changed: true, Previous: f.revisions[service]}
}

// recommendation is as large as a usual one.
func (f *fleet) recommendation(service string) *tidemarkv1.Recommendation {
	now := time.Now()
	size := func(more int64) *tidemarkv1.Size {
		const replicas, unit = 3, 1 << 30

		return &tidemarkv1.Size{CpuMillis: 1000 + more, MemoryBytes: (4 + more) * unit, Replicas: replicas}
	}

	return &tidemarkv1.Recommendation{
		Service:      service,
		Allocation:   size(0),
		Recommended:  size(f.writes),
		Observed:     size(1),
		Uncapped:     size(f.writes),
		Direction:    tidemarkv1.Direction_DIRECTION_UP,
		Mode:         tidemarkv1.Mode_MODE_ENFORCE,
		Status:       tidemarkv1.Status_STATUS_OK,
		Disruption:   tidemarkv1.DisruptionClass_DISRUPTION_CLASS_ROLLING,
		Reasons:      []tidemarkv1.Reason{tidemarkv1.Reason_REASON_CPU_ABOVE_BAND},
		Policy:       &tidemarkv1.PolicyRef{Name: "default", Hash: "9f86d081884c7d65"},
		DataTime:     timestamppb.New(now),
		EvaluateTime: timestamppb.New(now),
		ExpireTime:   timestamppb.New(now.Add(time.Hour)),
	}
}
