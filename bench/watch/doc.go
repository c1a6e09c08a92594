// Command watch measures what watchers cost: those who read, and those who have stopped.
//
// # Writer
//
// A store and a hub in this process, with so many readers on its streams, and one writer that commits at a steady pace.
// Four cases take turns, several rounds of them: no reader, nine tenths that read, the same with a tenth more that have
// stopped reading in the middle of their snapshot, and the whole number that reads. What counts is the time of a commit,
// of which the 99th percentile is taken; the ratio is that of the third case to the second, round by round, so that
// nothing but the stalled readers makes the difference. Streams are never ended for being slow here: the stalled ones
// stay to the end. Readers are functions and not sockets: a thousand connections with their clients in one process would
// measure the machine.
//
// Every round ends with a last commit that all readers who read must receive; a stream that lost it fails the run.
//
// # Memory
//
// The same readers: heap and stacks for each after so many changes, and after ten times as many, when those who read have
// all of them. The transport is not in it; what a stream takes with its connection, both ends of them in this process, is
// reported beside it.
//
// # Events
//
// A whole server over loopback, and Go clients with a connection each. The writer changes every service once, waits until
// all clients have all of it, and begins again: nothing is coalesced, every event is delivered.
package main
