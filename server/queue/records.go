package queue

import (
	"math"
	"time"
	"unique"
)

// maxRecords bounds the records of an item. It must exceed the number of triggers, so that each finds a place.
const maxRecords = 8

// record is a Record as it is kept: times as nanoseconds since 1970, the source shared by all that name it.
type record struct {
	source   unique.Handle[string]
	detail   string
	observed int64
	count    uint32
	trigger  Trigger
	// repeatable means, of an item's first record, that the item is ready and has not failed: a request that has a record
	// is only counted.
	repeatable bool
	enqueued   int64
	next       *record
}

// records is a list of records, in the order in which their first requests came. The first lies in the list itself, so
// that an item with one source is one allocation. The list is empty when the first record counts nothing.
type records struct {
	first record
}

func (rs *records) empty() bool {
	return rs.first.count == 0
}

// find returns the record of a trigger and a source, or nil.
func (rs *records) find(trigger Trigger, source string) *record {
	if rs.empty() {
		return nil
	}

	for at := &rs.first; at != nil; at = at.next {
		if at.trigger == trigger && at.source.Value() == source {
			return at
		}
	}

	return nil
}

// has reports whether a trigger has a record.
func (rs *records) has(trigger Trigger) bool {
	return !rs.empty() && rs.firstOf(trigger) != nil
}

// add merges one record into the list.
func (rs *records) add(r record) {
	r.next = nil

	if rs.empty() {
		rs.first = r

		return
	}

	switch same := rs.find(r.trigger, r.source.Value()); {
	case same != nil:
		same.absorb(&r)
	case rs.length() < maxRecords:
		rs.append(r)
	default:
		rs.squeeze(r)
	}
}

// squeeze takes in a record that is one too many. It is counted with the first record of its trigger, or, when its
// trigger is new, another trigger's second record is counted with that trigger's first to make room.
func (rs *records) squeeze(r record) {
	if same := rs.firstOf(r.trigger); same != nil {
		same.absorb(&r)

		return
	}

	for at := &rs.first; at.next != nil; at = at.next {
		if first := rs.firstOf(at.next.trigger); first != at.next {
			first.absorb(at.next)
			at.next = at.next.next

			break
		}
	}

	rs.append(r)
}

// merge adds all of another list, which must not be used afterwards; its records are the older ones.
func (rs *records) merge(older records) {
	newer := *rs
	*rs = older

	if newer.empty() {
		return
	}

	for at := &newer.first; at != nil; at = at.next {
		rs.add(*at)
	}
}

// enqueued returns when the earliest request came; the list must not be empty.
func (rs *records) enqueued() int64 {
	earliest := rs.first.enqueued
	for at := rs.first.next; at != nil; at = at.next {
		earliest = min(earliest, at.enqueued)
	}

	return earliest
}

// export appends the records in their public form.
func (rs *records) export(to []Record) []Record {
	if rs.empty() {
		return to
	}

	for at := &rs.first; at != nil; at = at.next {
		to = append(to, Record{
			Trigger:  at.trigger,
			Source:   at.source.Value(),
			Detail:   at.detail,
			Observed: time.Unix(0, at.observed),
			Enqueued: time.Unix(0, at.enqueued),
			Count:    int(at.count),
		})
	}

	return to
}

func (rs *records) firstOf(trigger Trigger) *record {
	for at := &rs.first; at != nil; at = at.next {
		if at.trigger == trigger {
			return at
		}
	}

	return nil
}

func (rs *records) length() int {
	length := 1
	for at := rs.first.next; at != nil; at = at.next {
		length++
	}

	return length
}

func (rs *records) append(r record) {
	last := &rs.first
	for last.next != nil {
		last = last.next
	}

	last.next = &r
}

// repeat counts one more request.
func (r *record) repeat(detail string) {
	r.add(1)

	if detail != "" {
		r.detail = detail
	}
}

// add counts requests, as far as the count goes.
func (r *record) add(requests uint32) {
	r.count += min(requests, math.MaxUint32-r.count)
}

// absorb counts another record of the same trigger, of the same source or of one for which there is no room.
func (r *record) absorb(other *record) {
	r.add(other.count)
	r.observed = min(r.observed, other.observed)
	r.enqueued = min(r.enqueued, other.enqueued)

	if other.detail != "" && other.source == r.source {
		r.detail = other.detail
	}
}
