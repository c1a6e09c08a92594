package clickhouse

import (
	"context"
	"errors"
	"maps"
	"math/bits"

	"github.com/tidemark-project/tidemark/recommender/usage"
)

// division is the reading of a batch. When its services cannot be read together it reads halves of them, and halves of
// those, so that one service that is too large, or whose data make no sense, fails alone.
type division struct {
	reader  BatchReader
	request usage.Request
	// spare is how many reads may be made beyond the first.
	spare     int
	snapshots map[string]usage.Snapshot
	failed    map[string]error
}

// divide reads the services. Those that are neither among the snapshots nor among the failed ones failed with err.
func divide(
	ctx context.Context, reader BatchReader, services []string, request usage.Request,
) (snapshots map[string]usage.Snapshot, failed map[string]error, err error) {
	d := division{reader: reader, request: request, spare: spareReads(len(services))}
	err = d.read(ctx, services)

	return d.snapshots, d.failed, err
}

// spareReads is how many reads a batch may take beyond its first: enough to single out one service, or else one for each.
// What a batch does not come to then fails with the rest of it, and is in a smaller batch when it is tried again.
func spareReads(services int) int {
	halves := bits.Len(uint(max(0, services-1)))

	return max(services, 2*halves)
}

// read returns an error when the usage store is not there, which ends the reading.
func (d *division) read(ctx context.Context, services []string) error {
	snapshots, err := d.reader.Read(ctx, services, d.request)
	if err == nil {
		d.add(snapshots)

		return nil
	}

	fault, asked := errors.AsType[usage.QueryError](err)
	if !asked {
		return err
	}

	if !fault.Divisible || len(services) == 1 || d.spare < 2 {
		d.fail(services, err)

		return nil
	}

	d.spare -= 2
	middle := len(services) / 2

	if err := d.read(ctx, services[:middle]); err != nil {
		return err
	}

	return d.read(ctx, services[middle:])
}

func (d *division) add(snapshots map[string]usage.Snapshot) {
	if d.snapshots == nil {
		d.snapshots = snapshots

		return
	}

	maps.Copy(d.snapshots, snapshots)
}

func (d *division) fail(services []string, err error) {
	if d.failed == nil {
		d.failed = make(map[string]error, len(services))
	}

	for _, service := range services {
		d.failed[service] = err
	}
}
