package queue

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"testing"
	"unsafe"

	"pgregory.net/rapid"
)

func TestHeap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var heap minHeap[*item]

		keys := make(map[*item]int64)
		pick := func() *item {
			if len(heap) == 0 {
				t.Skip("empty")
			}

			return heap[rapid.IntRange(0, len(heap)-1).Draw(t, "node")].node
		}
		key := rapid.Int64Range(0, 20)

		t.Repeat(map[string]func(*rapid.T){
			"push": func(t *rapid.T) {
				it := &item{}
				keys[it] = key.Draw(t, "key")
				heap.push(it, keys[it])
			},
			"remove": func(*rapid.T) {
				it := pick()
				heap.remove(it)
				delete(keys, it)
			},
			"fix": func(t *rapid.T) {
				it := pick()
				keys[it] = key.Draw(t, "key")
				heap.fix(it, keys[it])
			},
			"": func(t *rapid.T) {
				if len(heap) != len(keys) {
					t.Fatalf("%d nodes, want %d", len(heap), len(keys))
				}

				for at, entry := range heap {
					if int(entry.node.prev) != at || entry.key != keys[entry.node] || entry.key < heap[max(0, at-1)/arity].key {
						t.Fatalf("entry %d is %+v in %+v", at, entry, heap)
					}
				}
			},
		})
	})
}

func TestIndex(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := newIndex()
		items := make(map[string]*item)

		t.Repeat(map[string]func(*rapid.T){
			"toggle": func(t *rapid.T) {
				// Few hashes make many collisions.
				service := strconv.Itoa(rapid.IntRange(0, 200).Draw(t, "service"))
				hash := x.hash(service) & 0xff

				found := x.find(service, hash)
				if found != items[service] {
					t.Fatalf("found %p, want %p", found, items[service])
				}

				if found == nil {
					items[service] = x.insert(service, hash)
				} else {
					x.remove(found)
					delete(items, service)
				}
			},
			"": func(t *rapid.T) {
				listed := 0

				for it := range x.shard(0) {
					if items[it.service] != it {
						t.Fatalf("%s listed but not known", it.service)
					}

					listed++
				}

				if listed != len(items) || x.len() != len(items) {
					t.Fatalf("%d listed, %d counted, want %d", listed, x.len(), len(items))
				}
			},
		})
	})
}

// What a flood has taken is kept for the next one, and given back when that does not come.
func TestIndexShrinks(t *testing.T) {
	const items = 100_000

	x := newIndex()
	slots := func() (n int) {
		for _, s := range x.shards {
			n += len(s.slots)
		}

		return n
	}
	fillAndEmpty := func(items int) {
		for i := range items {
			service := strconv.Itoa(i)
			x.insert(service, x.hash(service))
		}

		for i := range items {
			service := strconv.Itoa(i)
			x.remove(x.find(service, x.hash(service)))
		}
	}

	fillAndEmpty(items)

	size, chunks := slots(), len(x.items.chunks)
	if size < items || size > 4*items {
		t.Fatalf("%d slots for %d items", size, items)
	}

	fillAndEmpty(items / 2)

	if slots() != size || len(x.items.chunks) != chunks {
		t.Fatalf("%d slots of %d and %d chunks of %d left after a flood", slots(), size, len(x.items.chunks), chunks)
	}

	fillAndEmpty(items / 10)

	if n := slots(); n > 0 || len(x.items.chunks) > 0 {
		t.Fatalf("%d slots and %d chunks left without a flood", n, len(x.items.chunks))
	}

	fillAndEmpty(items / 10)
}

// What a repeat looks at is in the first of the two lines of the cache that an item takes.
func TestItemTakesTwoLines(t *testing.T) {
	const line = 64

	var it item

	if size := unsafe.Sizeof(it); size != 2*line {
		t.Errorf("an item takes %d bytes, want %d", size, 2*line)
	}

	if end := unsafe.Offsetof(it.wanted) + unsafe.Offsetof(it.wanted.first.repeatable) + 1; end > line {
		t.Errorf("what a repeat looks at takes %d bytes, want %d at most", end, line)
	}

	var s slab
	if at := uintptr(unsafe.Pointer(s.take())) % line; at != 0 {
		t.Errorf("an item begins %d bytes after the beginning of a line", at)
	}
}

func TestIdleTenantsAreBounded(t *testing.T) {
	ts := newTenants()
	kept := ts.of("kept/x")

	for i := range 10 * maxIdle {
		ts.release(ts.of(fmt.Sprintf("tenant-%d/x", i)))
	}

	if n := len(ts.byName); n > maxIdle+2 || n-ts.idle != 1 || ts.of("kept/y") != kept {
		t.Fatalf("%d tenants, %d idle", n, ts.idle)
	}

	// Also those that were let go are found once only when they come back.
	for i := range 10 * maxIdle {
		name := fmt.Sprintf("tenant-%d", i)
		if found := ts.of(name + "/x"); ts.byName[name] != found || found.name != name || found.items != 1 {
			t.Fatalf("%s: found %+v, known as %+v", name, found, ts.byName[name])
		}
	}

	if len(ts.byName) != 10*maxIdle+1 || ts.idle != 0 {
		t.Fatalf("%d tenants, %d idle", len(ts.byName), ts.idle)
	}
}

func TestNames(t *testing.T) {
	names := make([]string, 0, triggerCount+outcomeCount+stateCount+3)
	for i := range triggerCount + 1 {
		names = append(names, Trigger(i).String())
	}

	for i := range outcomeCount + 1 {
		names = append(names, Outcome(i).String())
	}

	for i := range stateCount + 1 {
		names = append(names, State(i).String())
	}

	want := []string{
		"periodic", "signal", "manual", "unknown",
		"queued", "merged", "moved_up", "deferred", "unknown",
		"waiting", "running", "backing_off", "failed", "unknown",
	}
	if !slices.Equal(names, want) {
		t.Fatalf("%v, want %v", names, want)
	}
}

// A count goes no further than it can, however often something is said.
func TestCountStaysAtItsEnd(t *testing.T) {
	r := record{count: math.MaxUint32 - 1}
	for range 3 {
		r.repeat("")
		r.absorb(&record{count: math.MaxUint32})
	}

	if r.count != math.MaxUint32 {
		t.Errorf("count is %d, want %d", r.count, uint32(math.MaxUint32))
	}
}
