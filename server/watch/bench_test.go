package watch

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/server/store"
)

// BenchmarkChange is what the hub does about one change while a thousand streams are open: those it is no concern of cost
// nothing, and those that are behind next to nothing.
func BenchmarkChange(b *testing.B) {
	const readers = 1000

	tenants := func(i int) *tidemarkv1.RecommendationFilter {
		return &tidemarkv1.RecommendationFilter{Tenants: []string{fmt.Sprintf("tenant-%d", i)}}
	}

	for name, filter := range map[string]func(int) *tidemarkv1.RecommendationFilter{
		"no readers":      nil,
		"of other places": tenants,
		"of one service":  func(int) *tidemarkv1.RecommendationFilter { return only("dev/x") },
		"of everything":   func(int) *tidemarkv1.RecommendationFilter { return nil },
	} {
		b.Run(name, func(b *testing.B) {
			h := New(store.NewMemory(), DefaultConfig(), discard)

			for i := 0; filter != nil && i < readers; i++ {
				require.NoError(b, h.admit(newStream(h, "", &request{Filter: filter(i)})))
			}

			revision := int64(0)

			for b.Loop() {
				revision++

				r := value("prod/a", revision)
				r.Revision = revision

				h.mu.Lock()
				h.apply(store.Event{
					Revision: revision, Service: "prod/a", Record: store.Record{Recommendation: r, Revision: revision},
				})
				h.advance(revision)
				h.mu.Unlock()
			}
		})
	}
}
