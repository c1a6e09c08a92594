// Command queue measures the queue beside the two that people use, and the API beside a handler that does nothing.
//
// # Queues
//
// Client-go's plain workqueue, the same with what forgets failures (which ours has always), controller-runtime's
// priorityqueue and ours do the same work in turns, in one process, several rounds of it. Each begins anew every time,
// alone on a heap without garbage; who begins a round changes. What is compared is the median of the rounds' ratios, so
// that a machine that others use too makes all of them slow and not one.
//
// With one goroutine the processor time of the process counts: what a queue's own goroutines and the collector do is in
// it. With more the time by the clock counts, because they wait for each other; the processor time is reported beside it
// and is the steadier one on a busy machine.
//
// The peers are given nothing that ours is not: they have no metrics (ours always has), and the plain one forgets no
// failures. All get keys of one urgency; ours and the priorityqueue get keys of three besides. Duplicates come in another order and from memory of their own, as
// with calls.
//
// # API
//
// A whole server, whose only worker is held up so that no evaluation competes, and a gRPC server with the same options,
// the same interceptors and an empty handler are called over loopback by the same clients in the same process, again in
// turns. The log goes nowhere, which makes the empty handler look as good as it can.
package main
