package watch

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/server/store"
)

// gathered returns the hub's metrics: "name" or "name/label value".
func gathered(t *testing.T, h *Hub) map[string]float64 {
	t.Helper()

	registry := prometheus.NewPedanticRegistry()
	require.NoError(t, h.Register(registry))

	families, err := registry.Gather()
	require.NoError(t, err)

	values := make(map[string]float64)

	for _, family := range families {
		for _, m := range family.GetMetric() {
			name := family.GetName()
			if labels := m.GetLabel(); len(labels) > 0 {
				name += "/" + labels[0].GetValue()
			}

			values[name] = m.GetGauge().GetValue() + m.GetCounter().GetValue()
		}
	}

	return values
}

func TestMetrics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := store.NewMemory()
		stored := value("prod/a", 1)
		token := encodeToken(st.Epoch(), put(t, st, stored))
		h := newHub(t, forgetfulStore{st})

		reading := open(t, h, all, &request{View: tidemarkv1.View_VIEW_FULL})
		elsewhere := open(t, h, all, &request{Filter: only("dev/x")})
		stalled := open(t, h, 3, &request{ResumeToken: token})

		refused := map[string]string{
			"malformed": "nonsense",
			"foreign":   encodeToken("other", 1),
			"ahead":     encodeToken(st.Epoch(), 99),
			"too_old":   encodeToken(st.Epoch(), 0),
		}
		for _, token := range refused {
			require.Error(t, h.Stream(t.Context(), &request{ResumeToken: token}, nil))
		}

		synctest.Wait()

		got := gathered(t, h)
		require.InDelta(t, 3, got["tidemark_watch_streams"], 0)
		require.InDelta(t, 1, got["tidemark_watch_clients"], 0)
		require.Zero(t, got["tidemark_watch_lag_revisions"])
		require.Zero(t, got["tidemark_watch_lag_seconds"])
		require.InDelta(t, 2, got["tidemark_watch_snapshots_total"], 0)
		require.InDelta(t, proto.Size(stored), got["tidemark_watch_snapshot_bytes_total"], 0)
		require.InDelta(t, 1, got["tidemark_watch_resumes_total/resumed"], 0)
		require.InDelta(t, len(refused), got["tidemark_watch_ended_total/expired"], 0)

		for result := range refused {
			require.InDelta(t, 1, got["tidemark_watch_resumes_total/"+result], 0, result)
		}

		put(t, st, value("prod/a", 1))
		synctest.Wait()
		<-time.After(time.Second)
		require.Zero(t, gathered(t, h)["tidemark_watch_lag_revisions"], "who has taken everything is not behind")
		require.Zero(t, gathered(t, h)["tidemark_watch_lag_seconds"])

		// One reader takes one more and then nothing, while the others keep up or are not concerned.
		const changes, delay = 10, 7 * time.Second
		for i := range int64(changes) {
			put(t, st, value("prod/a", 2+i))
			synctest.Wait()
		}

		<-time.After(delay)

		got = gathered(t, h)
		require.InDelta(t, changes-2, got["tidemark_watch_lag_revisions"], 0, "one was taken, and one is on its way")
		require.InDelta(t, delay.Seconds(), got["tidemark_watch_lag_seconds"], 0)
		require.InDelta(t, changes-4, got["tidemark_watch_coalesced_total"], 0, "all but those, the one in hand and the last")

		<-stalled.ended

		require.InDelta(t, 1, gathered(t, h)["tidemark_watch_ended_total/slow"], 0)
		require.Zero(t, gathered(t, h)["tidemark_watch_lag_seconds"])

		reading.stop()
		require.InDelta(t, 1, gathered(t, h)["tidemark_watch_ended_total/client"], 0)

		h.Stop(t.Context())
		<-elsewhere.ended
		require.ErrorIs(t, h.Stream(t.Context(), &request{}, nil), ErrStopping)

		got = gathered(t, h)
		require.InDelta(t, 2, got["tidemark_watch_ended_total/stopping"], 0)
		require.Zero(t, got["tidemark_watch_streams"])
		require.Zero(t, got["tidemark_watch_clients"])
	})
}

func TestRegisteringTwiceIsAnError(t *testing.T) {
	h := newHub(t, store.NewMemory())
	registry := prometheus.NewRegistry()

	require.NoError(t, h.Register(registry))
	require.Error(t, h.Register(registry))
}
