package watch

import "fmt"

// readers are the open streams: how many there are, whose they are, and whom a change concerns. They are not safe for
// concurrent use.
type readers struct {
	audience

	stopping bool // no more are let in
	open     streams
	clients  map[string]int // streams by client
}

func newReaders() readers {
	return readers{audience: newAudience(), open: make(streams), clients: make(map[string]int)}
}

// admit lets a stream in, or says why not.
func (h *Hub) admit(s *stream) error {
	h.mu.Lock()
	defer h.mu.Unlock()

	r := &h.readers

	switch own := r.clients[s.client]; {
	case r.stopping:
		return newStoppingError()
	case len(r.open) >= h.config.MaxWatchers:
		return fmt.Errorf("%w: this server takes %d", ErrTooManyWatchers, h.config.MaxWatchers)
	case s.client != "" && own >= h.config.MaxWatchersPerClient:
		return fmt.Errorf("%w from %s: this server takes %d from one client",
			ErrTooManyWatchers, s.client, h.config.MaxWatchersPerClient)
	}

	r.open[s] = struct{}{}
	r.clients[s.client]++
	r.add(s)

	return nil
}

// leave takes a stream out.
func (h *Hub) leave(s *stream) {
	h.mu.Lock()
	defer h.mu.Unlock()

	r := &h.readers

	r.remove(s)
	delete(r.open, s)

	if r.clients[s.client]--; r.clients[s.client] <= 0 {
		delete(r.clients, s.client)
	}
}
