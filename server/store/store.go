// Package store is the server's only memory: the work that was accepted and the recommendations that were made of it.
// Whatever is accepted is written here before the caller is answered, and what watchers see was committed here first.
package store

import (
	"context"
	"errors"
	"iter"
	"time"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

var (
	// ErrNotFound says that the store holds nothing for the service.
	ErrNotFound = errors.New("service not found in the store")
	// ErrCompacted says that changes after the revision asked for are no longer all known: load afresh.
	ErrCompacted = errors.New("revision is older than the store's history")
	// ErrConflict says that the record has been written since it was read: read it again and decide anew.
	ErrConflict = errors.New("the record has changed since it was read")
	// ErrDeleted says that the service was deleted after the work of the commit was accepted: nothing is owed any more.
	ErrDeleted = errors.New("the service was deleted meanwhile")
	// ErrClosed says that the store was closed.
	ErrClosed = errors.New("store is closed")
)

// DeletionMemory is how long a store remembers at least that a service was deleted: longer than any evaluation takes, and
// than a server is away when it is started anew.
const DeletionMemory = time.Hour

// Store remembers work and recommendations. Every write gets a revision; revisions grow over all services and are never
// reused within an epoch. Implementations are safe for concurrent use, and all pass the suite in storetest.
type Store interface {
	Worklist
	Records

	// Epoch names the lineage of revisions. It changes when history is lost, so that old revisions mean nothing.
	Epoch() string
	// Close ends all watches and releases what the store holds.
	Close() error
}

// Worklist remembers the work that is to be done.
type Worklist interface {
	// Accept writes work that was taken in and returns the revision it was written at. Work of a service for which some
	// is already waiting is merged into it.
	Accept(ctx context.Context, work []Work) (int64, error)
	// Work returns the work that no commit has covered yet and nobody has discarded, in no particular order.
	Work(ctx context.Context) ([]Work, error)
	// Discard deletes the service's work accepted up to a revision, without an evaluation; later work and the record stay.
	// It is no error when there is none.
	Discard(ctx context.Context, service string, upTo int64) error
	// Park writes down what is known of the failures of services whose work is left, in place of all that was parked before.
	Park(ctx context.Context, parked []Parked) error
	// Parked returns what was parked last, in no particular order.
	Parked(ctx context.Context) ([]Parked, error)
}

// Records remembers the results.
type Records interface {
	// Commit writes the result of an evaluation and, in the same transaction, deletes the service's work accepted up to
	// WorkRevision. It returns the record as stored; ErrConflict, and nothing is written, when the record before is no
	// longer the one that the commit was made from; ErrDeleted when it would bring back a service that was deleted since.
	Commit(ctx context.Context, commit Commit) (Record, error)
	// Get returns the record of a service; ErrNotFound when there is none.
	Get(ctx context.Context, service string) (Record, error)
	// Delete forgets a service, its work included, and returns the revision; ErrNotFound when there was nothing.
	Delete(ctx context.Context, service string) (int64, error)
	// Load returns all records, and which services were deleted, as of one revision.
	Load(ctx context.Context) (Snapshot, error)
	// Watch yields every change of a record and every deletion of a service after the revision, in the order of revisions. It ends with ErrCompacted when
	// changes after that revision are no longer all known, with ErrClosed when the store was closed, and with the
	// context's error when that has ended.
	Watch(ctx context.Context, after int64) iter.Seq2[Event, error]
}

// Work is an accepted wish that one service be evaluated.
type Work struct {
	// Service is the key.
	Service string
	// Trigger is the most urgent reason.
	Trigger tidemarkv1.Trigger
	// Source and Detail say who saw what, for the most urgent reason.
	Source, Detail string
	// Observed is when the earliest of the merged triggers was seen; Accepted when the earliest was taken in.
	Observed, Accepted time.Time
	// Revision is the revision of the latest wish; the store sets it.
	Revision int64
}

// Record is what is remembered of one service. It is immutable: whoever gets one must not change what it points to.
type Record struct {
	// Recommendation is the latest result; its revision is that of the latest change of value.
	Recommendation *tidemarkv1.Recommendation
	// State is what the recommender wants to know next time, in an encoding of the worker's.
	State []byte
	// Revision is that of the latest write.
	Revision int64
	// Published is the revision of the latest write that watchers have to be told of: of a change of value, or of an order
	// to send the value again.
	Published int64
}

// Commit is the result of one evaluation.
type Commit struct {
	// Recommendation is the result. The store owns it from now on, fills in its revision, and replaces its labels by an
	// equal map that several services may share.
	Recommendation *tidemarkv1.Recommendation
	// State replaces the recommender's state.
	State []byte
	// Previous is the revision of the record that this one replaces, 0 when there is none: two that read the same record
	// cannot both write.
	Previous int64
	// Changed says that the value differs from the record before, and so gets a new revision of its own.
	Changed bool
	// Resend says that watchers are to be told of the value even if it has not changed.
	Resend bool
	// Asked is the revision of the work that led to the commit. One that would make a record anew is refused when the
	// service was deleted after that work; implementations remember a deletion for DeletionMemory at least. 0 asks for no
	// such check.
	Asked int64
	// WorkRevision covers the work that the evaluation began with; later work stays. 0 covers none.
	WorkRevision int64
}

// Event is one change of a record, or the deletion of a service, which may have had none.
type Event struct {
	// Revision is that of the change.
	Revision int64
	// Service is the key.
	Service string
	// Record is the new one; its Recommendation is nil when the service was deleted.
	Record Record
}

// Snapshot is every record as of one revision.
type Snapshot struct {
	// Revision is that of the latest write that it shows.
	Revision int64
	// Records are in no particular order.
	Records []Record
	// Deletions are the latest deletions of services that have no record now, and perhaps never had one, in no particular
	// order. All after the revision Forgotten are there, and perhaps older ones.
	Deletions []Deletion
	// Forgotten is the revision up to which deletions are no longer all remembered; 0 when none was ever forgotten.
	Forgotten int64
}

// Deletion says that a service was deleted.
type Deletion struct {
	// Service is the key.
	Service string
	// Revision is that of the deletion.
	Revision int64
}
