// Package backtest replays recorded usage of services through any way to size them, and says how well that would have
// gone.
//
// Each service is replayed by itself, in the order of its samples, and always the same way. The player sees each sample,
// is asked for a size at every Interval, and what it answers takes effect after Delay, as a platform takes its time to
// resize. One change is under way at a time; of what is decided meanwhile the latest waits for it. With Signals a sample
// that did not fit into the allocation asks at once, as the product's fast path does, and memory that did not fit is a
// process that was killed.
//
// A sample speaks of the stretch that ends with its time. So it is judged by the size in effect until then; a change that
// takes effect at that very moment comes too late for it. Until the warm-up of a service is over nothing is judged.
//
// Recorded usage is taken for what the service would have used whatever its size, unless Capped says otherwise. It is the
// sum over all replicas: each is taken to use an equal part.
//
// The first size is Config.Start, else what the owner had provisioned, else what covers the peak of the warm-up. A
// resource that a recording does not have at all is played as a small and steady use, so that recommenders that want to
// see both can do their work; it is not judged.
package backtest
