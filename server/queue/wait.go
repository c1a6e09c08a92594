package queue

// waiter is a Get that waits for something to hand out.
type waiter struct {
	// woken gets a token when the waiter is called.
	woken chan struct{}
	// called means that it was, and is in no list until it has looked.
	called bool
	// next and prev link those that wait, and next those that are not in use.
	next, prev *waiter
}

// waiters are the Gets that wait. The one that came last is called first: the processor knows it best.
type waiters struct {
	last   *waiter
	unused *waiter
	// calling means that one was called that has not looked yet. Nobody else is called meanwhile: who looks and finds more
	// than it takes calls the next. All workers would else be woken for what the first of them takes.
	calling bool
}

// wait adds one, which is made when it is nil, and returns it.
func (ws *waiters) wait(w *waiter) *waiter {
	switch {
	case w != nil:
	case ws.unused != nil:
		w, ws.unused = ws.unused, ws.unused.next
	default:
		w = &waiter{woken: make(chan struct{}, 1)}
	}

	w.next, w.prev = ws.last, nil
	if ws.last != nil {
		ws.last.prev = w
	}

	ws.last = w

	return w
}

// leave takes one out that has not been called.
func (ws *waiters) leave(w *waiter) {
	if w.prev == nil {
		ws.last = w.next
	} else {
		w.prev.next = w.next
	}

	if w.next != nil {
		w.next.prev = w.prev
	}

	w.next, w.prev = nil, nil
}

// call takes the next one out, to be sent a token; nil when none waits or one was called already.
func (ws *waiters) call() *waiter {
	w := ws.last
	if w == nil || ws.calling {
		return nil
	}

	ws.leave(w)
	w.called, ws.calling = true, true

	return w
}

// looks notes that one looks that was called; nil is none.
func (ws *waiters) looks(w *waiter) {
	if w != nil {
		w.called, ws.calling = false, false
	}
}

// end takes back one that has looked and need not wait any more; nil is none.
func (ws *waiters) end(w *waiter) {
	if w != nil {
		w.next, ws.unused = ws.unused, w
	}
}

// callAll calls every one, to look once more for the last time.
func (ws *waiters) callAll() {
	for w := ws.last; w != nil; w = ws.last {
		ws.leave(w)
		w.called = true
		w.woken <- struct{}{}
	}
}
