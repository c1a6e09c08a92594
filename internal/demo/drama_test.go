package demo

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/tidemark-project/tidemark/internal/demo/screen"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// stage is a drama whose product is the test.
type stage struct {
	*drama

	inserts []time.Time
}

// newStage calls react for each insert, with whether it holds refused work.
func newStage(react func(c *changes, signal bool)) *stage {
	f, c := smallFleet(2), newChanges(slog.New(slog.DiscardHandler))
	s := &stage{drama: &drama{fleet: f, changes: c, hero: 1, patience: 30 * time.Second}}
	s.scrape = func(_ context.Context, moments ...time.Time) error {
		signal := false

		for _, at := range moments {
			s.inserts = append(s.inserts, at)
			signal = signal || f.Use(1, 0, at).Rejections > 0
		}

		react(c, signal)

		return nil
	}

	return s
}

// tell has the agent print a change after a while.
func tell(c *changes, after time.Duration, line string) {
	go func() {
		<-time.After(after)
		c.take([]byte(line))
	}()
}

const (
	scaleUp = `{"service":"a/1","triggers":[{"trigger":"TRIGGER_SIGNAL"}],"direction":"DIRECTION_UP","allocation":{"memory_bytes":"4294967296"},` +
		`"recommended":{"cpu_millis":"1000","memory_bytes":"6442450944","replicas":2}}`
	otherService = `{"service":"a/0","direction":"DIRECTION_UP","recommended":{"memory_bytes":"6442450944"}}`
	onlyCPU      = `{"service":"a/1","direction":"DIRECTION_UP","recommended":{"memory_bytes":"4294967296"}}`
	scaleDown    = `{"service":"a/1","direction":"DIRECTION_DOWN","recommended":{"memory_bytes":"1073741824"}}`
)

func TestPlayAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStage(func(c *changes, signal bool) {
			for _, line := range []string{otherService, onlyCPU, scaleDown} {
				tell(c, time.Millisecond, line)
			}

			if signal {
				tell(c, 1234*time.Millisecond, scaleUp)
				tell(c, 2*time.Second, scaleUp)
			}
		})

		began := time.Now()
		played, err := s.playAtOnce(t.Context())
		require.NoError(t, err)
		require.Equal(t, 1234*time.Millisecond, played.took())
		require.Equal(t, began, played.sent)

		// First the rise, in one insert, then the signal.
		require.Len(t, s.inserts, len(risingSteps)+1)
		require.True(t, s.inserts[0].Before(s.inserts[1]))
		require.Equal(t, played.sent, s.inserts[len(risingSteps)])
		require.False(t, s.fleet.Claimed(1))

		result := newResult(&played)
		require.Equal(t, int64(1234), result.SignalToAgentMillis)
		require.Equal(t, "a/1", result.Service)
		require.Equal(t, Size{MemoryBytes: 4 * gib}, result.From)
		require.Equal(t, Size{CPUMillis: 1000, MemoryBytes: 6 * gib, Replicas: 2}, result.To)

		advance(time.Second)
	})
}

func TestPlayAtOnceWithAnotherCause(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStage(func(c *changes, signal bool) {
			if signal {
				tell(c, time.Second, strings.ReplaceAll(scaleUp, "SIGNAL", "PERIODIC"))
			}
		})

		_, err := s.playAtOnce(t.Context())
		require.ErrorIs(t, err, errOtherCause)
	})
}

func TestPlayAtOnceInVain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute, errors.New("too long"))
		defer cancel()

		_, err := newStage(func(*changes, bool) {}).playAtOnce(ctx)
		require.EqualError(t, err, "no scale-up of a/1 has come on the agent's stream 1m0s after its signal: too long")

		broken := newStage(func(*changes, bool) {})
		broken.scrape = func(context.Context, ...time.Time) error { return errNotYet }
		_, err = broken.playAtOnce(ctx)
		require.ErrorIs(t, err, errNotYet)
	})
}

func TestPlayLive(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var shown buffer

		told := false
		s := newStage(func(c *changes, signal bool) {
			if signal && !told {
				told = true

				tell(c, 1500*time.Millisecond, scaleUp)
			}
		})

		began := time.Now()
		played, err := s.playLive(t.Context(), screen.New(&shown))
		require.NoError(t, err)

		// It rises for 14 seconds, seen every two.
		require.Equal(t, 14*time.Second, played.sent.Sub(began))
		require.Equal(t, 1500*time.Millisecond, played.took())
		require.Contains(t, shown.String(), "memory 3.2Gi of 4Gi (80 %)")
		require.Contains(t, shown.String(), "memory 4Gi of 4Gi (100 %)")
		require.Contains(t, shown.String(), "memory_rejections = 1 goes into ClickHouse for each of 1-0, 1-1")
	})
}

func TestPlayLiveWithAnotherCause(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		first := true
		s := newStage(func(c *changes, _ bool) {
			if first {
				first = false

				tell(c, time.Second, scaleUp)
			}
		})

		_, err := s.playLive(t.Context(), screen.New(t.Output()))
		require.ErrorIs(t, err, errOtherCause)
	})
}

func TestPlayLiveInVain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, err := newStage(func(*changes, bool) {}).playLive(t.Context(), screen.New(t.Output()))
		require.EqualError(t, err, "no scale-up of a/1 on the agent's stream: 30s is too long")
	})
}

func TestResult(t *testing.T) {
	t.Parallel()

	var out buffer

	sent := time.Unix(1000, 0)
	after := func(d time.Duration) *timestamppb.Timestamp { return timestamppb.New(sent.Add(d)) }
	decision := change{read: sent.Add(1_200_300 * time.Microsecond), Recommendation: &tidemarkv1.Recommendation{
		Service: "a/1", Direction: tidemarkv1.Direction_DIRECTION_UP, Status: tidemarkv1.Status_STATUS_OK,
		Mode:        tidemarkv1.Mode_MODE_ENFORCE,
		Allocation:  &tidemarkv1.Size{CpuMillis: 1000, MemoryBytes: 4 * gib, Replicas: 2},
		Recommended: &tidemarkv1.Size{CpuMillis: 1000, MemoryBytes: 6 * gib, Replicas: 2},
		Reasons:     []tidemarkv1.Reason{tidemarkv1.Reason_REASON_MEMORY_REJECTED},

		EvaluateTime: after(1190 * time.Millisecond),
		Triggers: []*tidemarkv1.TriggerRecord{
			{Trigger: tidemarkv1.Trigger_TRIGGER_PERIODIC, EnqueueTime: after(time.Second)},
			{Trigger: tidemarkv1.Trigger_TRIGGER_SIGNAL, EnqueueTime: after(1100 * time.Millisecond)},
		},
	}}
	played := outcome{sent: sent, inserted: sent.Add(10 * time.Millisecond), decision: decision}

	result := newResult(&played)
	result.Services, result.PollIntervalMillis, result.Engine = 20, 2000, "ClickHouse 1"
	result.SeedRows, result.SeedMillis = 5, 6

	require.NoError(t, result.write(&out, true, nil))
	require.JSONEq(t, `{"services":20,"signal_to_agent_ms":1201,`+
		`"stages":{"inserted_ms":10,"enqueued_ms":1100,"evaluated_ms":1190,"agent_ms":1201},`+
		`"service":"a/1","from":{"cpu_millis":1000,"memory_bytes":4294967296,"replicas":2},`+
		`"to":{"cpu_millis":1000,"memory_bytes":6442450944,"replicas":2},"reasons":["MEMORY_REJECTED"],`+
		`"poll_interval_ms":2000,"seed_rows":5,"seed_ms":6,"engine":"ClickHouse 1"}`, out.String())
	require.Equal(t, 1, strings.Count(out.String(), "\n"))

	var text buffer

	require.NoError(t, result.write(&text, false, decision.Recommendation))
	require.Equal(t, "a/1  up  1 core, 4Gi -> 6Gi, 2 replicas  (memory rejected)  rev 0  after 1201 ms "+
		"(signals are looked for every 2000 ms; 20 services, ClickHouse 1)\n", text.String())
}
