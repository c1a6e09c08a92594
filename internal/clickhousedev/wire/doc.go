// Package wire decodes what a client of ClickHouse's native protocol sends.
//
// Every length is bounded before memory is spent on it, because these bytes come from the network.
package wire
