package queue

import "hash/maphash"

const (
	// shardBits is how many bits of a hash choose the shard. A shard grows and shrinks by itself, so that no caller waits
	// for more than a small part of the index to be moved.
	shardBits = 8
	// smallest is the number of slots that a shard starts with.
	smallest = 8
)

// index finds the items by their services. It takes a third of what a map takes and keeps its pace when it is large:
// a slot is the place of an item in the slab beside a part of its hash, so that another item's key is hardly ever read.
type index struct {
	seed   maphash.Seed
	items  slab
	shards [1 << shardBits]shard
}

// shard is a table with linear probing.
type shard struct {
	// slots has a power of two slots, of which at most three quarters are taken.
	slots []slot
	taken int
}

// slot has the low half of a hash in its upper half and one more than the item's place in its lower; zero is empty.
type slot uint64

func newSlot(hash uint64, place uint32) slot {
	return slot(hash<<32 | uint64(place+1))
}

func (s slot) tag() uint32   { return uint32(s >> 32) }
func (s slot) place() uint32 { return uint32(s) - 1 }

func newIndex() index {
	return index{seed: maphash.MakeSeed()}
}

func (x *index) hash(service string) uint64 {
	return maphash.String(x.seed, service)
}

func (x *index) len() int {
	return int(x.items.taken)
}

// find returns the item of a service whose hash is given, or nil.
func (x *index) find(service string, hash uint64) *item {
	slots := x.shardOf(hash).slots
	if len(slots) == 0 {
		return nil
	}

	mask := uint32(len(slots) - 1)
	for at := uint32(hash) & mask; slots[at] != 0; at = (at + 1) & mask {
		if slots[at].tag() == uint32(hash) {
			if it := x.items.at(slots[at].place()); it.service == service {
				return it
			}
		}
	}

	return nil
}

// insert adds an item for a service that has none.
func (x *index) insert(service string, hash uint64) *item {
	it := x.items.take()
	it.service, it.hash, it.index = service, hash, nowhere
	x.shardOf(hash).insert(newSlot(hash, it.slot))

	return it
}

// remove takes an item out; it must not be used afterwards.
func (x *index) remove(it *item) {
	x.shardOf(it.hash).remove(newSlot(it.hash, it.slot))
	x.items.give(it)
}

// all calls yield with each item, until it returns false.
func (x *index) all(yield func(*item) bool) {
	for s := range x.shards {
		for _, taken := range x.shards[s].slots {
			if taken != 0 && !yield(x.items.at(taken.place())) {
				return
			}
		}
	}
}

func (x *index) shardOf(hash uint64) *shard {
	return &x.shards[hash>>(64-shardBits)]
}
