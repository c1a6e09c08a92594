package clickhousedev

import (
	"sync/atomic"
	"time"

	"github.com/ClickHouse/ch-go/proto"
)

// watch looks after the client while a query runs: it ends the query if the client cancels it or goes away, and
// otherwise tells the client from time to time that the query is alive.
type watch struct {
	conn      *conn
	done      chan struct{}
	exited    chan struct{}
	cancelled atomic.Bool
}

func (c *conn) watch() *watch {
	w := &watch{conn: c, done: make(chan struct{}), exited: make(chan struct{})}
	go w.run()
	return w
}

// stop ends the watch. It must be called before the next packet is received.
func (w *watch) stop() {
	close(w.done)
	<-w.exited
}

func (w *watch) run() {
	defer close(w.exited)
	c := w.conn
	tick := time.NewTicker(progressInterval)
	defer tick.Stop()
	var packets <-chan packet
	if c.pump.kept == nil {
		packets = c.pump.receive()
	}
	for {
		select {
		case <-w.done:
			return
		case pk := <-packets:
			c.pump.received()
			packets = nil
			if pk.err == nil && pk.code != proto.ClientCodeCancel {
				c.pump.keep(pk)
				continue
			}
			if pk.err != nil {
				c.pump.keep(pk)
			}
			w.cancelled.Store(true)
			c.server.killer.kill(c.tag, c.log)
		case <-tick.C:
			// Killing is repeated: the query may not have started when it was tried before.
			if w.cancelled.Load() {
				c.server.killer.kill(c.tag, c.log)
			} else {
				c.sendSignOfLife()
			}
		}
	}
}
