package server

import (
	"net"
	"sync"
	"time"
)

// newcomers are the connections that came within the last connectTimeout, the oldest first. Those that have not shaken
// hands yet a gRPC server waits for when it stops, before it asks or tells anybody to go, and even when it is to cut off
// everything.
type newcomers struct {
	mu    sync.Mutex
	conns []newcomer
}

type newcomer struct {
	conn net.Conn
	at   time.Time
}

// add notes a connection, and drops those that have shaken hands by now or were hung up on.
func (n *newcomers) add(conn net.Conn) {
	n.mu.Lock()
	defer n.mu.Unlock()

	now := time.Now()

	old := 0
	for old < len(n.conns) && now.Sub(n.conns[old].at) > connectTimeout {
		old++
	}

	clear(n.conns[:old])

	n.conns = append(n.conns[old:], newcomer{conn, now})
}

// hangUp closes them all.
func (n *newcomers) hangUp() {
	n.mu.Lock()
	defer n.mu.Unlock()

	for _, c := range n.conns {
		_ = c.conn.Close() // it may have been closed already
	}

	n.conns = nil
}
