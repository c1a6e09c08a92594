package store

import "time"

// tombstones remember which services were deleted, and at which revision, for DeletionMemory.
type tombstones struct {
	revisions map[string]int64
	order     []tombstone // the oldest first; those of services that came back or were deleted again are of no meaning
	forgotten int64       // the revision of the latest deletion that was dropped for its age
}

type tombstone struct {
	service  string
	revision int64
	at       time.Time
}

func newTombstones() tombstones { return tombstones{revisions: make(map[string]int64)} }

// add remembers a deletion, and drops those that were remembered for long enough.
func (t *tombstones) add(service string, revision int64) {
	now := time.Now()

	expired := 0
	for expired < len(t.order) && now.Sub(t.order[expired].at) > DeletionMemory {
		if old := t.order[expired]; t.revisions[old.service] == old.revision {
			delete(t.revisions, old.service)
			t.forgotten = old.revision
		}

		expired++
	}

	t.order = append(t.order[expired:], tombstone{service, revision, now})
	t.revisions[service] = revision
}

// after reports that the service was deleted after the revision.
func (t *tombstones) after(service string, revision int64) bool {
	return t.revisions[service] > revision
}

// forget is for a service that has a record again, which is a fence by itself.
func (t *tombstones) forget(service string) { delete(t.revisions, service) }

// all returns what is remembered.
func (t *tombstones) all() []Deletion {
	deletions := make([]Deletion, 0, len(t.revisions))
	for service, revision := range t.revisions {
		deletions = append(deletions, Deletion{Service: service, Revision: revision})
	}

	return deletions
}
