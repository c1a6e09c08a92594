// Package cron is the regular sweep: it has every service evaluated once per period.
//
// Services do not all come at once. Each has its own slot within the period, which follows from its name alone: it is the
// same after a restart, on another machine, and whatever other services there are. Slots are counted from the Unix epoch,
// so with a period of ten minutes and a slot of 3m20s a service is due at 12:03:20, 12:13:20 and so on.
//
// What is due is worked out from the wall clock again and again, not counted in timers, so nothing depends on the process
// having run all the time. After a pause (the server was away, the machine slept, the clock was set forward) the latest
// slot of each service is run and earlier ones are counted as skipped: a sweep that is late is worth no more for being
// repeated. When the clock is set back, slots that were run are not run again.
//
// At the start nothing is made up: each service waits for its own slot, so a fleet is swept within one period and without
// a herd. Config.CatchUp enqueues everything at the start instead, once.
package cron
