// Package replay makes a fleet of recorded usage, in the format of package trace.
//
// Of each recorded service the last 30 hours without a gap of more than half an hour are taken, ending two hours before
// the end of the recording where it is long enough for that, and shifted so that they end now. What follows now is the
// rest of the recording, and then its last 24 hours again and again. Between two recorded samples the earlier one holds.
// A service that was never recorded for 30 hours on end is left out.
//
// A service "x" becomes "replay/x", with one replica: a recording knows only sums.
//
// The size a service starts with is what its owner had provisioned. Where that is not known, in a resource, it is the
// size that the two-window rule would hold for the 30 hours: the CPU peak over the target utilisation, the memory peak
// with the headroom of stable use, both rounded up to the steps of the default policy and kept within its bounds. A
// service whose memory was neither recorded nor provisioned gets 4 GiB for each core.
//
// Usage was measured under the limits of its day. What a service used beyond the size it has in the replay, it does not
// get: CPU ends at the allocation, and memory beyond it is refused work, as in the workload model.
package replay
