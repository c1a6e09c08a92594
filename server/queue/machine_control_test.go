package queue_test

import (
	"slices"
	"time"

	"pgregory.net/rapid"

	"github.com/tidemark-project/tidemark/server/queue"
)

// quarters draws a time in quarters of a second.
func quarters(t *rapid.T, least int) time.Duration {
	return time.Duration(rapid.IntRange(least, 40).Draw(t, "quarters")) * time.Second / 4
}

func scope(t *rapid.T) queue.Scope {
	return rapid.SampledFrom([]queue.Scope{queue.Accepting, queue.Evaluating}).Draw(t, "scope")
}

func (m *machine) pause(t *rapid.T) {
	p := queue.Pause{
		Scope: scope(t), Author: rapid.SampledFrom([]string{"ann", "bob"}).Draw(t, "author"), Reason: "a change",
	}
	if wait := quarters(t, 0); wait > 0 {
		p.Until = time.Now().Add(wait)
	}

	got, err := m.queue.Pause(p)
	p.Since = time.Now()

	if err != nil || !samePause(got, p) {
		t.Fatalf("Pause = %+v, %v; want %+v", got, err, p)
	}

	m.model.pauses[p.Scope] = p
}

func (m *machine) resume(t *rapid.T) {
	scope := scope(t)
	got, paused := m.queue.Resume(scope)

	if want := m.model.paused(scope); paused != want || want && !samePause(got, m.model.pauses[scope]) {
		t.Fatalf("Resume = %+v, %v; want %+v, %v", got, paused, m.model.pauses[scope], want)
	}

	delete(m.model.pauses, scope)
}

func (m *machine) retryNow(t *rapid.T) {
	s := service(t)
	got, exists := m.queue.RetryNow(s)

	if want, wanted := m.model.retryNow(s); exists != wanted || !sameItem(got, want) {
		t.Fatalf("RetryNow = %+v, %v; want %+v, %v", got, exists, want, wanted)
	}
}

func (m *machine) restore(t *rapid.T) {
	r := request(t)
	past := queue.Past{
		Attempts:  rapid.IntRange(0, 4).Draw(t, "attempts"),
		LastError: "before",
		GaveUp:    rapid.Bool().Draw(t, "gave up"),
		Again:     time.Now().Add(quarters(t, 1)),
	}

	if err := m.queue.Restore(&r, past); err != nil {
		t.Fatal(err)
	}

	m.model.restore(r, past)
}

// list reads the list page by page.
func (m *machine) list(t *rapid.T) {
	filter := queue.Filter{
		States: rapid.SliceOfNDistinct(
			rapid.SampledFrom([]queue.State{queue.Waiting, queue.Running, queue.BackingOff, queue.Failed}),
			0, 2, rapid.ID[queue.State],
		).Draw(t, "states"),
		Tenant: rapid.SampledFrom([]string{"", "a", "b", "nobody"}).Draw(t, "tenant"),
	}
	limit := rapid.IntRange(1, 4).Draw(t, "limit")
	want := m.model.list(filter)

	var after queue.Position

	for more := true; more; {
		page := m.queue.List(filter, after, limit)
		if len(page.Items) != min(limit, len(want)) || page.More != (len(want) > limit) ||
			!slices.EqualFunc(page.Items, want[:len(page.Items)], sameItem) {
			t.Fatalf("page of %d: %+v, want the first of %+v", limit, page, want)
		}

		want, after, more = want[len(page.Items):], page.Next, page.More
	}
}
