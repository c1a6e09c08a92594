package queue

// State is where an item stands.
type State uint8

// The states.
const (
	// Waiting for a worker, or for a time that was asked for.
	Waiting State = iota
	// Running means that it is being evaluated.
	Running
	// BackingOff means that it has failed and waits to be tried again.
	BackingOff
	// Failed means that it was given up.
	Failed
)

// stateCount is the number of states.
const stateCount = 4

// String returns the state's name in lower case.
func (s State) String() string {
	switch s {
	case Waiting:
		return "waiting"
	case Running:
		return "running"
	case BackingOff:
		return "backing_off"
	case Failed:
		return "failed"
	default:
		return unknown
	}
}

// item is one service. It takes two lines of the processor's cache. What a repeated request looks at lies in the first, but
// for the revision: a million may wait, and what is not in the cache takes longer than all the rest.
type item struct {
	service string
	// due is when the item is due: its deadline, or the end of its delay while it is delayed.
	due int64
	// wanted is what the next evaluation is for. While the item runs that is what has come since.
	wanted records
	// history is set when the item has failed or is delayed.
	history  *history
	revision int64
	tenant   *tenant
	// run is the place of what is kept of the hand-out while the item runs, else zero.
	run uint32
	// next and prev are the places of an item's neighbours in a flow. For one that lies in a heap prev is its index there.
	next, prev uint32
	hash       uint32
	// slot is the item's place in the slab.
	slot uint32
	// class is the trigger that set the deadline.
	class Trigger
	state State
	lies  location
}

// location is the structure that holds an item besides the index.
type location uint8

const (
	// aside means none: the item runs, or has failed and waits for a trigger.
	aside location = iota
	// listed means that the item is in the list of its flow.
	listed
	// late means that it is in the heap of its flow.
	late
	// delayed means that it waits for a time.
	delayed
)

// history is what is known of an item that has failed or is delayed.
type history struct {
	// attempts is the number of failures in a row.
	attempts  int
	lastError string
	// deadline is the item's deadline while due is the end of a delay.
	deadline int64
	// probe is the earliest time for an automatic trigger to revive a Failed item.
	probe int64
}

func (it *item) index() *uint32 { return &it.prev }

// ready reports whether the item will be handed out.
func (it *item) ready() bool {
	return it.lies == listed || it.lies == late
}

// running reports whether it was handed out and is not completed.
func (it *item) running() bool {
	return it.run != 0
}

// noteRepeatable notes whether a request like one before is only counted.
func (it *item) noteRepeatable() {
	it.wanted.first.repeatable = it.ready() && it.history == nil
}

// attempts returns the number of failures in a row, also for no item.
func (it *item) attempts() int {
	if it == nil || it.history == nil {
		return 0
	}

	return it.history.attempts
}

// past returns the item's history, which it begins if there is none.
func (it *item) past() *history {
	if it.history == nil {
		it.history = &history{}
	}

	return it.history
}
