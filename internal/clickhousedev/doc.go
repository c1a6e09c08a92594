// Package clickhousedev is a ClickHouse for development and tests: the real engine, in this process, behind the real
// wire protocol.
//
// The engine is chDB, a library made of ClickHouse's own sources. The server in front of it speaks ClickHouse's
// native TCP protocol, so clients such as clickhouse-go talk to it as to any other server. Everything that SQL can
// do is the engine's; this package frames, authenticates and dispatches.
//
// What it leaves out: the HTTP interface, WITH TOTALS and extremes (the rows come, the totals do not), columns of
// types JSON, Dynamic and AggregateFunction, query ids (the engine gives its own), server logs and profile events.
package clickhousedev
