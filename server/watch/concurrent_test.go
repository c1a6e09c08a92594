package watch

import (
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

// What the model plays step by step happens here all at once: writers, readers that come and go, and readers that ask.
func TestConcurrentReadersAndWriters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const (
			writers  = 4
			readers  = 18
			services = 10
			writes   = 400
			streams  = 20
		)

		st := newLossyStore()
		h := newHub(t, st)

		var busy sync.WaitGroup

		for w := range writers {
			busy.Go(func() {
				for range writes {
					service := serviceName(w*services + rand.IntN(services))
					if _, err := st.Get(t.Context(), service); err == nil && rand.IntN(4) == 0 {
						remove(t, st, service)
					} else {
						put(t, st, modelValue(service, randomTraits()))
					}
				}
			})
		}

		clients := make([]*client, readers)
		for i := range clients {
			c := &client{filter: modelFilters[i%len(modelFilters)]}
			clients[i] = c

			busy.Go(func() {
				for range streams {
					c.connect(t, h)
					c.reader.grant(rand.IntN(100))
					h.List(parsed(t, c.filter), 0, "", services)
					c.disconnect()
				}
			})
		}

		busy.Wait()

		snapshot, err := st.Memory.Load(t.Context())
		require.NoError(t, err)

		for i, c := range clients {
			c.finish(t, h)
			require.NoError(t, c.check("reader", expected(snapshot, c.filter)), i)
		}

		require.Zero(t, h.Watchers())
	})
}
