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
				require.NoError(b, h.admit(newStream(h, "", parsed(b, filter(i)), tidemarkv1.View_VIEW_BASIC)))
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

// BenchmarkMatch is what a filter costs for each change that it looks at.
func BenchmarkMatch(b *testing.B) {
	r := value("prod/orders-db", 1100)
	r.Allocation = &tidemarkv1.Size{CpuMillis: 1000, MemoryBytes: 1 << 30, Replicas: 3}
	r.Labels = map[string]string{"tier": "gold", "team": "payments", "region": "eu-west-1", "engine": "postgres"}
	e := &entry{service: r.GetService(), full: r, basic: r}

	for name, filter := range map[string]*tidemarkv1.RecommendationFilter{
		"no filter":      nil,
		"tenant":         {Tenants: []string{"prod"}},
		"mode":           {Modes: []tidemarkv1.Mode{tidemarkv1.Mode_MODE_ENFORCE}},
		"label selector": {LabelSelector: "tier in (gold,silver),region=eu-west-1,!retired"},
		"minimum change": {MinChangePercent: 10},
	} {
		b.Run(name, func(b *testing.B) {
			wanted := parsed(b, filter)

			b.ReportAllocs()

			for b.Loop() {
				if !wanted.matches(e) {
					b.Fatal("it matches")
				}
			}
		})
	}
}
