package tidemark

import (
	"time"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// EventKind is what an Event says.
type EventKind int

const (
	// SnapshotStarted says that a snapshot follows: everything that there is now. It comes first, unless the watch goes on
	// after a token or leaves the snapshot out, and again whenever the token no longer holds (Event.Expired).
	SnapshotStarted EventKind = iota + 1
	// Changed brings Event.Recommendation, new or changed, or part of a snapshot.
	Changed
	// Removed says that a service is gone, or no longer matches the filter: Event.Removed.
	Removed
	// CaughtUp says that everything there was has been yielded, after a snapshot as well as after a reconnection:
	// Event.EndOfSnapshot.
	CaughtUp
	// Alive says that nothing has happened and the stream stands: Event.Heartbeat.
	Alive
	// Disconnected says that the stream broke and is being opened again, so what is known is as of Event.Since. It comes
	// once per outage; the next event of another kind ends it.
	Disconnected
	// Renewed brings Event.Recommendation again with the value of the same revision: it still holds, and expires later. It
	// replaces what is kept; there is nothing new to act on. It comes about when half of the time is over.
	Renewed
)

// String returns the kind's name for logs.
func (k EventKind) String() string {
	switch k {
	case SnapshotStarted:
		return "snapshot started"
	case Changed:
		return "changed"
	case Removed:
		return "removed"
	case CaughtUp:
		return "caught up"
	case Alive:
		return "alive"
	case Disconnected:
		return "disconnected"
	case Renewed:
		return "renewed"
	default:
		return "unknown"
	}
}

// Event is one thing that a watch tells.
type Event struct {
	// Kind says which of the other fields are set.
	Kind EventKind
	// Recommendation is set when Kind is Changed or Renewed.
	Recommendation *tidemarkv1.Recommendation
	// Removed is set when Kind is Removed.
	Removed *tidemarkv1.RecommendationRemoved
	// EndOfSnapshot is set when Kind is CaughtUp.
	EndOfSnapshot *tidemarkv1.EndOfSnapshot
	// Heartbeat is set when Kind is Alive.
	Heartbeat *tidemarkv1.Heartbeat
	// Snapshot marks what belongs to a snapshot: the value may have been yielded before, and the changes that led to it
	// are not known.
	Snapshot bool
	// Expired is set on SnapshotStarted when the snapshot is taken because the last token no longer holds. Revisions are
	// comparable only within what follows: the store may be another one.
	Expired bool
	// Err is why the stream broke; set when Kind is Disconnected.
	Err error
	// Since is when the last message came; zero when none ever did. Set when Kind is Disconnected.
	Since time.Time
	// ResumeToken continues a later watch with the same filter after this event; empty within a snapshot.
	ResumeToken string
}
