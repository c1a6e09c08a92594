// Package statement finds out what a statement of ClickHouse's SQL is, as far as a server must know it before the
// engine sees it: whether it has rows, whether its data come from the client, and where they start.
//
// It reads words, quotes, brackets and comments. It is no parser of SQL: what is wrong with a statement is for the
// engine to say.
package statement
