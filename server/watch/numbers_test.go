package watch

import (
	"runtime"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/server/store"
)

// A set of numbers is a set, and no two services have the same number at once.
func TestNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var (
			all   numbers
			taken []uint32
		)

		set, model := make(numberSet), make(map[uint32]bool)

		t.Repeat(map[string]func(*rapid.T){
			"take": func(t *rapid.T) {
				for range rapid.IntRange(1, pageBits).Draw(t, "count") {
					taken = append(taken, all.take())
				}
			},
			"give back": func(t *rapid.T) {
				for range rapid.IntRange(0, len(taken)).Draw(t, "count") {
					all.giveBack(taken[0])
					taken = taken[1:]
				}
			},
			"add": func(t *rapid.T) {
				number := rapid.Uint32Range(0, 3*pageBits).Draw(t, "number")
				set.add(number)
				model[number] = true
			},
			"remove": func(t *rapid.T) {
				number := rapid.Uint32Range(0, 3*pageBits).Draw(t, "number")
				set.remove(number)
				delete(model, number)
			},
			"": func(t *rapid.T) {
				for number := range uint32(3*pageBits + 1) {
					if set.has(number) != model[number] {
						t.Fatalf("%d: %t", number, set.has(number))
					}
				}

				if sorted := slices.Sorted(slices.Values(taken)); len(slices.Compact(sorted)) != len(taken) {
					t.Fatal("a number was given out twice")
				}
			},
		})
	})
}

// The numbers of services that come and go for ever do not grow for ever.
func TestNumbersOfServicesThatGoAreUsedAgain(t *testing.T) {
	st := store.NewMemory()
	h := New(st, DefaultConfig(), discard)
	h.index.limit = modelLimit

	const services = 100
	for i := range services {
		h.apply(store.Event{Service: serviceName(i), Record: store.Record{Recommendation: value(serviceName(i), 1)}, Revision: int64(2*i + 1)})
		h.apply(store.Event{Service: serviceName(i), Revision: int64(2*i + 2)})
	}

	require.LessOrEqual(t, h.index.numbers.next, uint32(modelLimit+2))
}

// What a reader is known to hold takes little, however many services there are.
func TestReadersByValueTakeLittleMemory(t *testing.T) {
	const services, readers, bytes = 20_000, 20, 30 << 10

	synctest.Test(t, func(t *testing.T) {
		st := store.NewMemory()
		for i := range services {
			put(t, st, value(serviceName(i), 1))
		}

		h := newHub(t, st)

		var before, after runtime.MemStats

		runtime.GC()
		runtime.ReadMemStats(&before)

		opened := make([]*reader, readers)
		for i := range opened {
			opened[i] = open(t, h, all, &request{ChangesOnly: true, Filter: &tidemarkv1.RecommendationFilter{
				Modes: []tidemarkv1.Mode{tidemarkv1.Mode_MODE_ENFORCE},
			}})
		}

		synctest.Wait()
		runtime.GC()
		runtime.ReadMemStats(&after)
		require.Less(t, (int64(after.HeapAlloc)-int64(before.HeapAlloc))/readers, int64(bytes))

		for _, r := range opened {
			r.stop()
		}
	})
}
