// Package queue holds the services that wait for an evaluation: each at most once, the most urgent first, the failing
// ones held back.
//
// # Order
//
// An item's deadline is the time of its enqueueing plus the slack of its trigger, and it is the earliest deadline of all
// the triggers that were merged into it. The trigger that set the deadline is the item's class. A hand-out first chooses
// a class and then a tenant:
//
//   - The class with the earliest deadline is served. So that no class can starve another when there is more work than
//     workers, hand-outs go round in turns (half for SIGNAL, a quarter each for MANUAL and PERIODIC), and a class whose
//     earliest item has used up half of its slack is served when it is its turn, whatever the deadlines say. Periodic
//     work thereby starts within its slack although signals never end, and a signal is never behind a heap of overdue
//     periodic work.
//   - Within the class tenants take turns, and the tenant's item with the earliest deadline is handed out.
//
// # Failures
//
// A failed evaluation is tried again after an exponential backoff with full jitter. Automatic triggers do not shorten
// it; a MANUAL one does. After Config.BackoffLimit failures in a row, or one that is permanent, the item is FAILED. It
// stays so, and stays listed, until a trigger comes:
//
//   - MANUAL forgets the failures and runs at once.
//   - SIGNAL and PERIODIC run one probe, no sooner than Backoff.Cap after the last failure. When it fails too, the item
//     is FAILED again.
//
// Only outcomes count as failures. A success, or Forget, removes all that is known of a service.
//
// # Inside
//
// The base is client-go's typed workqueue, which guards that a key is handed out to one worker at a time; our storage
// lies behind its Queue hook. It holds only what is ready: what must wait for a time lies in a heap of our own with a
// single timer, so that a key cannot be both delayed and ready. All state is guarded by one mutex; a worker that has
// succeeded does not wait for it but leaves that to its owner.
package queue
