// Package realserver finds ClickHouse's own server on this machine and runs it as a child process, for development
// and tests.
package realserver
