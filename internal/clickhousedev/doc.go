// Package clickhousedev is a ClickHouse for development and tests: the real engine, in this process, behind the real
// wire protocol.
//
// The engine is chDB, a library made of ClickHouse's own sources. The server in front of it speaks ClickHouse's
// native TCP protocol, so clients such as clickhouse-go talk to it as to any other server. Everything that SQL can
// do is the engine's; this package frames, authenticates and dispatches. For TLS, give Serve a TLS listener.
//
// Each connection has a session of the engine, and sessions run at the same time. Rows of a SELECT are sent as the
// engine makes them. Rows of an INSERT wait in a file until the last has come, or a million, and are written then, as
// a server does; so an INSERT that is cut off writes either nothing or some of its first millions. A query ends in
// the engine when its client cancels it or goes away.
//
// What it leaves out: the HTTP interface; the totals of WITH TOTALS, and extremes; columns of types JSON, Dynamic and
// AggregateFunction (cast them, or use finalizeAggregation); the client's query ids (the engine gives its own);
// server logs and profile events; asynchronous inserts (all are synchronous); input() and INTO OUTFILE; users beyond
// one. A query whose own SETTINGS clause has log_comment cannot be cancelled. SYSTEM SHUTDOWN and CREATE NAMED
// COLLECTION are refused: they would end the process.
package clickhousedev
