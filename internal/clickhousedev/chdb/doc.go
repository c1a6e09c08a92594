// Package chdb runs ClickHouse's engine in this process. It calls libchdb, a shared library that is loaded when the
// engine is opened and not before, so a program that merely contains this package does not need the library.
//
// The build tag nochdb leaves the engine out: then [Open] fails, and the program does not depend on the C library.
package chdb
