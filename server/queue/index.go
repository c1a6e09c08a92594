package queue

import (
	"hash/maphash"
	"iter"
)

// shardBits is how many bits of a hash choose the shard. A shard grows by itself, so that no caller waits for more than a
// small part of the index to be moved.
const shardBits = 8

// index finds the items by their services. It takes a third of what a map takes and keeps its pace when it is large:
// a slot is the place of an item in the slab beside its hash, so that another item's key is hardly ever read.
type index struct {
	seed   maphash.Seed
	items  slab
	shards [1 << shardBits]shard
}

func newIndex() index {
	return index{seed: maphash.MakeSeed()}
}

func (x *index) hash(service string) uint32 {
	return uint32(maphash.String(x.seed, service) >> 32)
}

func (x *index) len() int {
	return int(x.items.taken)
}

// find returns the item of a service whose hash is given, or nil.
func (x *index) find(service string, hash uint32) *item {
	s := x.shardOf(hash)
	if s.taken == 0 {
		return nil
	}

	for at := hash & s.mask; s.slots[at] != 0; at = (at + 1) & s.mask {
		if s.slots[at].hash() == hash {
			if it := x.items.at(s.slots[at].place()); it.service == service {
				return it
			}
		}
	}

	return nil
}

// insert adds an item for a service that has none.
func (x *index) insert(service string, hash uint32) *item {
	it := x.items.take()
	it.service, it.hash = service, hash
	x.shardOf(hash).insert(newSlot(hash, it.slot))

	return it
}

// remove takes an item out; it must not be used afterwards.
func (x *index) remove(it *item) {
	x.shardOf(it.hash).remove(newSlot(it.hash, it.slot))
	x.items.give(it)

	if x.items.taken == 0 && x.items.oversized() {
		x.shrink()
	}
}

// shrink gives all memory back; there must be no items. The seed stays, which is read without the lock.
func (x *index) shrink() {
	x.items = slab{}
	clear(x.shards[:])
}

// shard returns the items of one shard.
func (x *index) shard(shard int) iter.Seq[*item] {
	return func(yield func(*item) bool) {
		for _, taken := range x.shards[shard].slots {
			if taken != 0 && !yield(x.items.at(taken.place())) {
				return
			}
		}
	}
}

func (x *index) shardOf(hash uint32) *shard {
	return &x.shards[hash>>(32-shardBits)]
}
