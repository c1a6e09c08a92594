// Package native reads and re-frames blocks in ClickHouse's Native format without decoding their values.
//
// The engine writes blocks as its files hold them, and the wire adds a block header and a byte per column. To go
// from one to the other one must know where each column ends, and only the column's type tells. So this package
// parses types and walks columns, copying their bytes as they are.
package native
