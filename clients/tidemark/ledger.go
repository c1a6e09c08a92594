package tidemark

import (
	"maps"
	"slices"
)

// ledger knows what a watch has yielded: it keeps revisions from going back and finds out what a snapshot lacks.
type ledger struct {
	revisions map[string]int64    // of what was yielded, per service
	gone      map[string]int64    // revisions of removals that an older value might still follow
	missing   map[string]struct{} // held before the snapshot and not seen in it so far
	whole     bool                // a snapshot has been taken: what is not in revisions is not held
}

func newLedger() ledger {
	return ledger{
		revisions: make(map[string]int64),
		gone:      make(map[string]int64),
		missing:   make(map[string]struct{}),
	}
}

// startSnapshot makes all that is held doubtful. Its revisions no longer count: a server that starts a snapshot may have
// another store, whose revisions are smaller.
func (l *ledger) startSnapshot() {
	for service := range l.revisions {
		l.missing[service] = struct{}{}
	}

	clear(l.revisions)
	clear(l.gone)

	l.whole = false
}

// endSnapshot returns, in order, what was held before and was not in the snapshot.
func (l *ledger) endSnapshot() []string {
	services := slices.Sorted(maps.Keys(l.missing))
	clear(l.missing)

	l.whole = true

	return services
}

// put notes a value, and returns false when a newer one is held.
func (l *ledger) put(service string, revision int64) bool {
	if revision < l.revisions[service] || revision < l.gone[service] {
		return false
	}

	l.revisions[service] = revision
	delete(l.missing, service)

	return true
}

// older reports that what was yielded of a service has a smaller revision.
func (l *ledger) older(service string, revision int64) bool {
	held, known := l.revisions[service]

	return known && held < revision
}

// remove notes a removal, and returns false when a newer value is held, or known that none is: a server that was restarted
// tells of all that may have gone since a token, as it does not know what its reader holds.
func (l *ledger) remove(service string, revision int64) bool {
	held, known := l.revisions[service]
	if revision < held {
		return false
	}

	delete(l.revisions, service)
	delete(l.missing, service)
	l.gone[service] = max(l.gone[service], revision)

	return known || !l.whole
}

// settle forgets removals: the server has sent everything up to now, so nothing older can follow.
func (l *ledger) settle() { clear(l.gone) }
