package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/tidemark-project/tidemark/recommender/usage"
	"github.com/tidemark-project/tidemark/recommender/usage/clickhouse/history"
)

// Reader reads usage. It may be used by several goroutines at once.
type Reader struct {
	config Config
	conn   Conn
	clock  string // the server's clock, or a fixed one in tests
}

// NewReader returns a reader of the tables that config names.
func NewReader(config Config, conn Conn) *Reader {
	return &Reader{config: config, conn: conn, clock: serverClock}
}

// Read returns a snapshot of each service with what is asked for. A service that nothing is known of has windows with a
// Coverage of 0. It makes two queries, one for the usage and one for the allocations, for every batch of services; see
// Config.MaxServices.
//
// A bucket of 10 minutes counts as covered when CPU and resident memory are both known in it: a service of which only
// one is known must not be taken for one that does not use the other.
//
// An error means that nothing is known now. It is a usage.QueryError when what was asked is at fault, the context's when
// that ended, and otherwise ClickHouse is not there.
func (r *Reader) Read(
	ctx context.Context, services []string, request usage.Request,
) (map[string]usage.Snapshot, error) {
	plan, err := history.NewPlan(request)
	if err != nil {
		return nil, usage.QueryError{Err: fmt.Errorf("read usage: %w", err), Permanent: true}
	}

	wanted := slices.Compact(slices.Sorted(slices.Values(services)))
	snapshots := make(map[string]usage.Snapshot, len(wanted))

	for chunk := range slices.Chunk(wanted, r.config.servicesAtOnce(plan.Reach())) {
		if err := r.readChunk(ctx, chunk, plan, snapshots); err != nil {
			return nil, err
		}
	}

	return snapshots, nil
}

func (r *Reader) readChunk(
	ctx context.Context, services []string, plan *history.Plan, snapshots map[string]usage.Snapshot,
) error {
	if err := r.readUsage(ctx, services, plan, snapshots); err != nil {
		return fmt.Errorf("read usage of %d services: %w", len(services), err)
	}

	if err := r.readAllocations(ctx, services, snapshots); err != nil {
		return fmt.Errorf("read allocations of %d services: %w", len(services), err)
	}

	return nil
}

// query runs one query within the time that it may take and calls visit for each row.
func (r *Reader) query(ctx context.Context, query string, visit func(scan scanFunc) error) error {
	return eachRow(ctx, r.conn, r.config.QueryTimeout, query, visit)
}

// scanFunc reads the present row into the destinations.
type scanFunc func(destinations ...any) error

func eachRow(
	ctx context.Context, conn Conn, timeout time.Duration, query string, visit func(scan scanFunc) error,
) (err error) {
	queryCtx, cancel := context.WithTimeoutCause(ctx, timeout,
		fmt.Errorf("ClickHouse did not answer within %s: %w", timeout, context.DeadlineExceeded))
	defer cancel()

	defer func() { err = classify(endOf(queryCtx, err)) }()

	rows, err := conn.Query(queryCtx, query)
	if err != nil {
		return fmt.Errorf("query ClickHouse: %w", err)
	}

	defer func() { err = errors.Join(err, rows.Close()) }()

	for rows.Next() {
		if err := visit(rows.Scan); err != nil {
			return unreadable(err)
		}
	}

	if err := rows.Err(); err != nil {
		return fmt.Errorf("read rows from ClickHouse: %w", err)
	}

	return nil
}

// unreadable says that ClickHouse has answered with a row that cannot be read.
func unreadable(err error) error {
	fault, _ := errors.AsType[usage.QueryError](err)
	fault.Err = fmt.Errorf("read a row from ClickHouse: %w", err)

	return fault
}

// endOf returns the cause of a context's end, whether the driver made an error of it, and which, or only stopped. The
// connection's deadline is the context's, and may be noticed just before it.
func endOf(ctx context.Context, err error) error {
	deadline, limited := ctx.Deadline()
	if limited && errors.Is(err, os.ErrDeadlineExceeded) && !time.Now().Before(deadline) {
		<-ctx.Done()
	}

	if ctx.Err() == nil {
		return err
	}

	return context.Cause(ctx) //nolint:wrapcheck // the caller's own, or ours
}
